// SPDX-License-Identifier: BSD-3-Clause
// Out of memory at every allocation of a training step and of what surrounds it, one after the other.
#include "THNN/conv.h"
#include "support/files.hpp"
#include "support/oom.hpp"
#include "support/wick.hpp"
#include "wick/autograd.hpp"
#include "wick/data.hpp"
#include "wick/io.hpp"
#include "wick/nn.hpp"
#include "wick/ops.hpp"
#include "wick/optim.hpp"
#include <cmath>

using namespace wick;

namespace {

class OutOfMemory : public testing::Test {
  protected:
    static void SetUpTestSuite() { oom::install(); }
    // oneDNN is not ours to test, and throws std::bad_alloc through C.
    void SetUp() override { ASSERT_EQ(THNN_set_conv_backend("gemm"), TH_OK); }
};

nn::Sequential small_net() {
    return nn::Sequential(nn::Conv2d({.in_channels = 1, .out_channels = 2, .kernel_size = 3}),
                          nn::BatchNorm2d({.num_features = 2}), nn::ReLU(), nn::MaxPool2d({.kernel_size = 2}),
                          nn::Flatten(), nn::Dropout({.p = 0.25}), nn::Linear({.in_features = 8, .out_features = 3}));
}

struct Batch {
    Tensor x = randn({2, 1, 6, 6}), target = randint(0, 3, {2});
};

template <class O> void train(nn::Module &net, O &optimizer, const Batch &batch) {
    optimizer.zero_grad();
    nn::CrossEntropyLoss loss({.label_smoothing = 0.1});
    loss(net(batch.x), batch.target).backward();
    optimizer.step();
}

std::vector<double> all_values(const NamedTensors &tensors) {
    std::vector<double> out;
    for (const auto &[name, t] : tensors)
        for (double v : wick::test::values(t)) out.push_back(v);
    return out;
}

TEST_F(OutOfMemory, Step) {
    Batch batch;
    oom::everywhere([&] {
        nn::Sequential net = small_net();
        optim::SGD sgd(net.parameters(), {.lr = 0.1, .momentum = 0.9, .weight_decay = 0.01, .nesterov = true});
        train(net, sgd, batch);
        optim::Adam adam(net.parameters(), {.amsgrad = true});
        train(net, adam, batch);
    });
}

TEST_F(OutOfMemory, StepsOfOneNet) {
    const int64_t tensors = oom::hooks.live;
    {
        Batch batch;
        nn::Sequential net = small_net();
        optim::SGD sgd(net.parameters(), {.lr = 0.01, .momentum = 0.9});
        auto step = [&] { train(net, sgd, batch); };
        for (int64_t k = 0; k < 2000; k++) { // what a failed step has made stays, so that each takes another way
            oom::hooks.left = k, oom::hooks.failures = 0, oom::hooks.sticky = k % 2;
            oom::Outcome outcome(oom::hooks, step);
            ASSERT_EQ(outcome.threw, oom::hooks.failures > 0) << outcome.text;
            ASSERT_EQ(outcome.threw, outcome.of_memory) << outcome.text;
            if (!outcome.threw) break;
        }
        EXPECT_EQ(oom::hooks.failures, 0);
        for (double v : all_values(net.state_dict())) EXPECT_TRUE(std::isfinite(v));
    }
    EXPECT_EQ(oom::hooks.live, tensors);
}

TEST_F(OutOfMemory, DoubleBackward) {
    Tensor x = randn({2, 3, 1, 1, 2}).requires_grad_(), w = randn({2, 1}).requires_grad_();
    oom::everywhere([&] {
        Tensor y = sum(exp(matmul(x, w)) * x, {}, false);
        std::vector<Tensor> first = grad({&y, 1}, std::vector{x, w}, {}, {.create_graph = true});
        Tensor z = sum(first[0] * first[0]) + sum(first[1]);
        grad({&z, 1}, std::vector{x, w});
    });
}

TEST_F(OutOfMemory, InPlace) {
    Tensor x = ones({4}), y = ones({4}), index = arange(0, 4);
    oom::everywhere(
        [&] {
            Tensor a = x.clone().requires_grad_(), b = a * 2;
            b.mul_(y);
            exp_(b);
            b.backward(y);
            Tensor halves = y.to(kBFLOAT16);
            halves.add_(x.to(kBFLOAT16));
            scatter_add(x, 0, index, y);
        },
        [&] {
            wick::test::expect_values(y, {1, 1, 1, 1});
        });
}

TEST_F(OutOfMemory, InPlaceIsAllOrNothing) {
    Tensor t = ones({3}), x = full({3}, 2, kFLOAT32);
    auto all_or_nothing = [&](auto f) {
        oom::each(oom::hooks, false, f, [&] { wick::test::expect_values(t, {1, 1, 1}); });
        t.fill_(1);
    };
    all_or_nothing([&] { t.add_(x); });
    all_or_nothing([&] { t.mul_(x); });
    all_or_nothing([&] { t.copy_(x); });
    all_or_nothing([&] { t.fill_(5); });
    all_or_nothing([&] { exp_(t); });
}

/// Values and history of what a recorded change did not come through stay as they were.
TEST_F(OutOfMemory, RecordedInPlaceIsAllOrNothing) {
    Tensor w = full({1, 1, 1, 1, 3}, 2, kFLOAT32).requires_grad_();
    auto all_or_nothing = [&](auto f) {
        int64_t failures = 0;
        for (oom::Source *source : {&oom::hooks, &oom::language})
            for (int64_t k = 0;; k++) {
                Tensor x = w * 3, part = x.narrow(-1, 1, 1);
                source->sticky = false, source->left = k, source->failures = 0;
                oom::Outcome outcome(*source, [&] { f(x, part); });
                ASSERT_EQ(outcome.threw, source->failures > 0) << outcome.text;
                if (!outcome.threw) break;
                failures++;
                wick::test::expect_values(x, {6, 6, 6});
                sum(x).backward({}, {.retain_graph = true});
                wick::test::expect_values(w.grad(), {3, 3, 3});
                w.set_grad({});
                sum(part).backward({}, {.retain_graph = true});
                wick::test::expect_values(w.grad(), {0, 3, 0});
                w.set_grad({});
            }
        EXPECT_GT(failures, 0);
    };
    all_or_nothing([&](Tensor &x, Tensor &) { x.add_(w); });
    all_or_nothing([&](Tensor &x, Tensor &) { x.mul_(w); });
    all_or_nothing([&](Tensor &, Tensor &part) { part.mul_(part); });
    all_or_nothing([&](Tensor &, Tensor &part) { exp_(part); });
    all_or_nothing([&](Tensor &, Tensor &part) { part.copy_(w.narrow(-1, 0, 1)); });
    all_or_nothing([&](Tensor &x, Tensor &) { x.zero_(); });
    all_or_nothing([&](Tensor &, Tensor &part) { gt_(part, 1); });
}

/// The next backward is right after one that failed.
TEST_F(OutOfMemory, BackwardAfterAFailedBackward) {
    Tensor x = full({1, 1, 1, 1, 2}, 3, kFLOAT32).requires_grad_(),
           v = full({1, 1, 1, 1, 2}, 5, kFLOAT32).requires_grad_();
    v.register_hook([](const Tensor &g) { return g * 1; });
    Tensor a = x * v, parts[] = {Tensor(), Tensor()};
    for (Tensor &p : parts) p = a.detach();
    record_joint("two", parts, {&a, 1}, [](std::span<const Tensor> g, std::span<Tensor> out) { out[0] = g[0] + g[1]; });
    Tensor y = sum(a * a + parts[0] * 2 + parts[1]); // d/dx = v (2 x v + 3)
    auto run = [&] { y.backward({}, {.retain_graph = true}); };
    run();
    int64_t failures = 0;
    for (oom::Source *source : {&oom::hooks, &oom::language})
        for (bool sticky : {false, true})
            for (int64_t k = 0;; k++) {
                source->sticky = sticky, source->left = k, source->failures = 0;
                oom::Outcome outcome(*source, run);
                ASSERT_EQ(outcome.threw, source->failures > 0) << outcome.text;
                if (!outcome.threw) break;
                failures++;
                x.set_grad({}), v.set_grad({});
                run();
                wick::test::expect_values(x.grad(), {165, 165});
                wick::test::expect_values(v.grad(), {99, 99});
                ASSERT_FALSE(testing::Test::HasFailure()) << "after failure " << k;
                x.set_grad({}), v.set_grad({});
            }
    EXPECT_GT(failures, 40);
}

TEST_F(OutOfMemory, Checkpoint) {
    ::test::Folder folder;
    const std::string path = folder / "net.safetensors";
    const NamedTensors tensors = {{"a name that needs memory of its own", randn({3, 2})},
                                  {"transposed", randn({3, 2}).t()},
                                  {"flags", zeros({5}, kBOOL)}};
    oom::everywhere(
        [&] {
            io::save_safetensors(path, tensors, {{"a key that needs memory of its own", "a value that does too"}});
            for (bool copy : {false, true}) {
                io::Checkpoint read = io::load_safetensors(path, {.copy = copy});
                if (read.tensors.size() != 3 || read.metadata.size() != 1) std::abort();
            }
        },
        [&] { EXPECT_LE(folder.count(), 1u); });
    EXPECT_EQ(all_values(io::load_safetensors(path).tensors).size(), 17u);
}

TEST_F(OutOfMemory, LoadingStateIsAllOrNothing) {
    Batch batch;
    nn::Sequential net = small_net();
    optim::Adam adam(net.parameters());
    train(net, adam, batch);
    NamedTensors other_net, other_adam;
    for (const auto &[name, t] : net.state_dict()) other_net.emplace_back(name, ones_like(t));
    for (const auto &[name, t] : adam.state_dict()) other_adam.emplace_back(name, ones_like(t) * 0.5);
    const std::vector<double> of_net = all_values(net.state_dict()), of_adam = all_values(adam.state_dict());
    for (oom::Source *source : {&oom::hooks, &oom::language}) {
        NamedTensors state = net.state_dict();
        for (auto &[name, t] : state) t = t.clone();
        NamedTensors steps = adam.state_dict();
        for (auto &[name, t] : steps) t = t.clone();
        oom::each(
            *source, false, [&] { net.load_state_dict(other_net); },
            [&] { EXPECT_EQ(all_values(net.state_dict()), of_net); });
        oom::each(
            *source, false, [&] { adam.load_state_dict(other_adam); },
            [&] { EXPECT_EQ(all_values(adam.state_dict()), of_adam); });
        net.load_state_dict(state);
        adam.load_state_dict(steps);
    }
}

// Whatever allocation of a step fails: no parameter has moved, no state has changed.
TEST_F(OutOfMemory, OptimizerStepsAreAllOrNothing) {
    auto check = [](oom::Source &source, DType dtype, int earlier, auto make_optimizer) {
        Tensor a = ones({3}, dtype).requires_grad_(), b = ones({100, 9}, dtype).requires_grad_();
        auto optimizer = make_optimizer(std::vector{a, b});
        for (Tensor *p : {&a, &b}) p->set_grad(full(p->sizes(), 0.5, dtype));
        for (int i = 0; i < earlier; i++) optimizer.step();
        auto everything = [&] {
            NamedTensors all = optimizer.state_dict();
            all.insert(all.end(), {{"a", a}, {"b", b}});
            return all_values(all);
        };
        const std::vector<double> before = everything();
        int64_t k = 0;
        for (;; k++) {
            source.sticky = true, source.left = k, source.failures = 0;
            oom::Outcome outcome(source, [&] { optimizer.step(); });
            ASSERT_EQ(outcome.threw, source.failures > 0) << outcome.text;
            if (!outcome.threw) break;
            ASSERT_EQ(everything(), before) << "allocation " << k;
        }
        const bool needs_no_tensor = &source == &oom::hooks && earlier && dtype == kFLOAT32; // SGD's later steps
        EXPECT_TRUE(k > 0 || needs_no_tensor);
        EXPECT_NE(everything(), before);
    };
    auto all_or_nothing = [&](auto make_optimizer) {
        for (oom::Source *source : {&oom::hooks, &oom::language})
            for (DType dtype : {kFLOAT32, kFLOAT16})
                for (int earlier : {0, 2}) check(*source, dtype, earlier, make_optimizer);
    };
    using Params = std::vector<Tensor>;
    all_or_nothing([](Params p) { return optim::SGD(p, {.lr = 0.1, .momentum = 0.9, .dampening = 0.1}); });
    all_or_nothing([](Params p) { return optim::SGD(p, {.lr = 0.1, .momentum = 0.9, .nesterov = true}); });
    all_or_nothing([](Params p) { return optim::Adam(p, {.weight_decay = 0.1, .amsgrad = true}); });
    all_or_nothing([](Params p) { return optim::AdamW(p); });
}

// Threads that run are joined whatever fails while more of them start.
TEST_F(OutOfMemory, DataLoaderStartsThreads) {
    auto set = std::make_shared<data::TensorDataset>(std::vector{arange(0, 64)});
    for (int64_t k = 0; k < 60; k++) {
        data::DataLoader loader(set, {.batch_size = 2, .workers = 8});
        std::vector<int64_t> seen;
        oom::language.sticky = true, oom::language.left = k, oom::language.failures = 0;
        oom::language.armed = true;
        try {
            auto it = loader.begin();
            oom::language.armed = false;
            for (; it != loader.end(); ++it) seen.push_back((*it)[0][0].item<int64_t>());
        } catch (const std::bad_alloc &) {
            oom::language.armed = false;
            continue;
        } catch (const Error &e) {
            oom::language.armed = false;
            EXPECT_EQ(e.status(), TH_E_MEMORY);
            continue;
        }
        EXPECT_EQ(seen.size(), 32u);
    }
}

TEST_F(OutOfMemory, CastingAModuleIsAllOrNothing) {
    nn::Sequential net = small_net();
    auto dtypes = [&] {
        std::vector<DType> out;
        for (const auto &[name, t] : net.state_dict()) out.push_back(t.dtype());
        return out;
    };
    const std::vector<DType> before = dtypes();
    auto fails = [&](int64_t k) {
        oom::hooks.sticky = true, oom::hooks.left = k, oom::hooks.failures = 0;
        return oom::Outcome(oom::hooks, [&] { net.to(kFLOAT64); }).threw;
    };
    int64_t k = 0;
    for (; fails(k); k++) ASSERT_EQ(dtypes(), before) << k;
    EXPECT_GT(k, 0);
    EXPECT_NE(dtypes(), before);
}

} // namespace
