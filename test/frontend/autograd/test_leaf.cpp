// SPDX-License-Identifier: BSD-3-Clause
// Gradients at their end, and that nothing there keeps itself alive.
#include "support/errors.hpp"
#include "support/leaks.hpp"
#include "wick/autograd.hpp"
#include "wick/ops.hpp"
#include <gtest/gtest.h>

using namespace wick;

TEST(SetGrad, MustFit) {
    Tensor x = ones({2}).requires_grad_();
    EXPECT_WICK_ERROR(x.set_grad(ones({3})), TH_E_SHAPE, "float32[2]");
    x.set_grad(ones({2}));
    EXPECT_EQ(x.grad().numel(), 2);
}

TEST(SetGrad, RefusesCycles) {
    Tensor a = ones({2}), b = ones({2}), c = ones({2});
    EXPECT_WICK_ERROR(a.set_grad(a), TH_E_ARG, "itself");
    a.set_grad(b);
    b.set_grad(c);
    EXPECT_WICK_ERROR(c.set_grad(a), TH_E_ARG, "leads back");
    EXPECT_FALSE(c.grad().defined());
    EXPECT_WICK_ERROR(b.set_grad(a), TH_E_ARG, "leads back");
    EXPECT_EQ(b.grad().impl(), c.impl());
    a.set_grad({});
    c.set_grad(a);
}

TEST(SetGrad, DeepChainsNeitherRecurseNorTakeLong) {
    for (bool upwards : {false, true}) {
        Tensor first = ones({1}), last = first;
        for (int i = 0; i < 200000; i++) {
            Tensor next = ones({1});
            if (upwards)
                next.set_grad(last);
            else
                last.set_grad(next);
            last = next;
        }
    }
}

TEST(Leaks, NothingKeepsItselfAlive) {
    EXPECT_NO_LEAK({
        Tensor x = ones({100}).requires_grad_();
        for (int i = 0; i < 3; i++) (x * x * x).sum().backward({}, {.create_graph = true});
        sum(x.grad() * x).backward();
    });
    EXPECT_NO_LEAK({
        Tensor w = ones({100}).requires_grad_();
        Tensor x = w * w, y = x * x;
        x.add_(y);
    });
    EXPECT_NO_LEAK({
        Tensor w = ones({100}).requires_grad_();
        Tensor x = exp(w) * 1, y = x + w;
        x.mul_(y).mul_(x);
        x.retain_grad();
        x.sum().backward({}, {.create_graph = true});
        w.set_grad(w * 2);
        x.set_grad(x * w);
    });
    EXPECT_NO_LEAK({
        Tensor w = ones({100}).requires_grad_();
        w.set_grad(w * 2);
        try {
            w.set_grad(w);
        } catch (const Error &) {
        }
    });
}

TEST(Leaks, ViewsAndTheirBases) {
    EXPECT_NO_LEAK({
        Tensor w = ones({100}).requires_grad_();
        Tensor x = zeros({2, 100}), v = x[0], u = v.narrow(0, 1, 5);
        u.copy_(w.narrow(0, 0, 5) * 2);
        v.mul_(w);
        x.add_(v * 2);
        u.retain_grad();
        (sum(x * x) + sum(u) + sum(v)).backward({}, {.create_graph = true});
    });
    EXPECT_NO_LEAK({
        Tensor w = ones({100}).requires_grad_(), x = zeros({2, 100}), last;
        for (int i = 0; i < 2; i++) {
            x[i] = w * 2;
            last = x[i];
            last.mul_(last);
        }
        x = {};
        last.add_(w);
    });
    EXPECT_NO_LEAK({
        Tensor w = ones({100}).requires_grad_(), x = w * 1, d = x.detach();
        d.narrow(0, 0, 3).copy_(w.narrow(0, 0, 3));
        NoGrad guard;
        Tensor v = x.view({10, 10});
    });
}
