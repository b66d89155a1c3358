// SPDX-License-Identifier: BSD-3-Clause
// Tensors on a fake device (fake_device.cpp), whose memory the CPU cannot touch: what computes on the CPU crashes.
#include "THNN/THNN.h"
#include "core/device.hpp"
#include "support/device.h"
#include "support/errors.hpp"
#include "support/wick.hpp"
#include "wick/autograd.hpp"
#include "wick/device.hpp"
#include "wick/nn.hpp"
#include "wick/ops.hpp"
#include "wick/optim.hpp"
#include "wick/value.hpp"
#include <cstdlib>
#include <dlfcn.h>

using namespace wick;
using test::expect_values;

namespace {
constexpr Device HOME; // the CPU

/// The fake device from outside.
struct Fake {
    fake_state *state;
    int (*calls)(const char *name);
};

const Fake &fake() {
    static const Fake f = [] {
        setenv("WICK_DEVICE_FAKE", FAKE_DEVICE_LIBRARY, 1);
        Device first("fake:0");
        void *handle = dlopen(FAKE_DEVICE_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
        auto state = reinterpret_cast<fake_state *(*)()>(dlsym(handle, "fake_device_state"));
        return Fake{state(), reinterpret_cast<int (*)(const char *)>(dlsym(handle, "fake_device_calls"))};
    }();
    return f;
}

class DeviceTest : public ::testing::Test {
  protected:
    void SetUp() override { state = fake().state; }
    void TearDown() override { EXPECT_EQ(state->in_use[0] + state->in_use[1], 0) << "something is left on the device"; }
    static int calls(const char *name) { return fake().calls(name); }
    static Tensor there(std::initializer_list<float> values, Device device = "fake:0") {
        return tensor(values).to(device);
    }
    fake_state *state = nullptr;
};

std::string name(const Tensor &t) { return t.device().name(); }
} // namespace

// ---- names and libraries ----

TEST(DeviceNames, Cpu) {
    EXPECT_EQ(Device("cpu"), HOME);
    EXPECT_EQ(Device("cpu:0"), HOME);
    EXPECT_EQ(HOME.name(), "cpu");
    EXPECT_EQ(HOME.type(), 0);
    EXPECT_TRUE(device_is_available("cpu"));
    EXPECT_WICK_ERROR(Device("cpu:1"), TH_E_DEVICE, "want the only CPU");
    for (const char *bad : {"", ":0", "Cuda", "a b", "cuda/x"})
        EXPECT_WICK_ERROR(Device{bad}, TH_E_ARG, "want a name such as 'cpu' or 'cuda:0'");
}

TEST(DeviceNames, UnknownTypes) {
    EXPECT_WICK_ERROR(Device("quantum"), TH_E_NOTFOUND,
                      "got type 'quantum', want 'cpu' or one whose library is known "
                      "(WICK_DEVICE_QUANTUM names it)");
    EXPECT_FALSE(device_is_available("quantum:3"));
    set_device_library("gone", "/nowhere/libgone.so");
    EXPECT_WICK_ERROR(Device("gone"), TH_E_UNSUPPORTED, "got 'gone', but its library does not load");
    EXPECT_WICK_ERROR(Device("gone"), TH_E_UNSUPPORTED, "/nowhere/libgone.so"); // asked again, not remembered
    set_device_library("gone", THNN_LIBRARY);
    EXPECT_WICK_ERROR(Device("gone"), TH_E_ABI, "want a library with a function TH_device_open");
    set_device_library("gone", FAKE_DEVICE_LIBRARY);
    EXPECT_WICK_ERROR(Device("gone"), TH_E_ABI, "but it registers no such type");
}

TEST_F(DeviceTest, Names) {
    EXPECT_EQ(Device("fake").name(), "fake:0");
    EXPECT_EQ(Device("fake:1").index(), 1);
    EXPECT_EQ(Device("fake:1").type(), FAKE_TYPE);
    EXPECT_EQ(Device("fake:1"), Device(FAKE(1)));
    EXPECT_WICK_ERROR(Device("fake:2"), TH_E_DEVICE, "want one of 2 fake device(s)");
    EXPECT_WICK_ERROR(Device("fake:x"), TH_E_ARG, "want a name such as");
    EXPECT_TRUE(device_is_available("fake:1"));
    EXPECT_FALSE(device_is_available("fake:2"));
    EXPECT_WICK_ERROR(set_device_library("fake", "x"), TH_E_ARG, "whose library is loaded");
    int before = state->waits;
    synchronize("fake");
    EXPECT_EQ(state->waits, before + 1);
}

TEST(DeviceNames, OfFunctions) {
    EXPECT_EQ(detail::function_name<TH_add>(), "TH_add");
    EXPECT_EQ(detail::function_name<THNN_softmax>(), "THNN_softmax");
    EXPECT_TRUE(detail::is_structural(detail::function_name<THTensor_transpose>()));
    EXPECT_FALSE(detail::is_structural(detail::function_name<TH_add>()));
}

// ---- moving and reading ----

TEST_F(DeviceTest, ToAndBack) {
    Tensor x = there({1, 2, 3}, "fake:1");
    EXPECT_EQ(name(x), "fake:1");
    EXPECT_EQ(x.describe(), "float32[3] on fake:1");
    EXPECT_EQ(x.impl()->place, FAKE_TYPE);
    EXPECT_EQ(x.to("fake:1").impl(), x.impl()); // itself
    EXPECT_EQ(name(x.to("fake:0")), "fake:0");
    Tensor y = x.to(HOME);
    EXPECT_EQ(y.impl()->place, 0);
    expect_values(y, {1, 2, 3});
    Tensor both = x.to(kINT32, HOME);
    EXPECT_EQ(both.dtype(), kINT32);
    EXPECT_EQ(both.data<int32_t>()[2], 3);
    EXPECT_WICK_ERROR(x.data<float>(), TH_E_TYPE, "got float32[3] on fake:1, want float32 on the CPU");
}

TEST_F(DeviceTest, ItemAndPrinting) {
    Tensor x = there({1.5, 2, -3});
    EXPECT_EQ(x[2].item<double>(), -3);
    EXPECT_EQ(x.to_string(), "[1.5, 2, -3] float32[3] on fake:0");
    int before = state->copies;
    EXPECT_EQ(transpose(x.reshape({1, 3}), 0, 1).to_string(), "[[1.5],\n [2],\n [-3]] float32[3, 1] on fake:0");
    EXPECT_LE(state->copies, before + 1); // at once, not one by one
}

TEST_F(DeviceTest, Structure) {
    Tensor x = there({1, 2, 3, 4}).reshape({2, 2});
    for (const Tensor &v : {x[0], x.t(), x.detach(), x.clone(), x.to(kFLOAT64), x.t().contiguous(), x.unsqueeze(0)}) {
        EXPECT_EQ(name(v), "fake:0");
        EXPECT_EQ(v.impl()->place, FAKE_TYPE);
    }
    expect_values(x.t().contiguous().to(HOME), {1, 3, 2, 4});
}

// ---- dispatch ----

TEST_F(DeviceTest, CallsTheTwin) {
    Tensor a = there({1, 2}), b = there({10, 20});
    int before = calls("FAKE_add");
    Tensor y = a + b;
    EXPECT_EQ(calls("FAKE_add"), before + 1);
    EXPECT_EQ(name(y), "fake:0");
    EXPECT_EQ(y.impl()->place, FAKE_TYPE);
    expect_values(y.to(HOME), {11, 22});
    expect_values((tensor<float>({1}) + tensor<float>({2})), {3});
    EXPECT_EQ(calls("FAKE_add"), before + 1); // not for the CPU's
    int softmaxes = calls("FAKENN_softmax");
    expect_values(softmax(there({0, 0}), 0).to(HOME), {0.5, 0.5});
    EXPECT_EQ(calls("FAKENN_softmax"), softmaxes + 1);
}

TEST_F(DeviceTest, FindsATwinOnce) {
    static std::atomic<const detail::Twin *> found{nullptr}; // as in call<>: entries stay until the process ends
    void *fn = detail::find_twin(found, "TH_add", "fake:1");
    static const detail::Twin *entry = found.load();
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->place, FAKE_TYPE);
    EXPECT_EQ(entry->fn, fn);
    EXPECT_EQ(detail::find_twin(found, "TH_add", "fake:0"), fn);
    EXPECT_EQ(found.load(), entry);
    EXPECT_EQ(entry->next, nullptr);
    EXPECT_EQ(detail::find_twin(found, "no_such_name", "fake:0"), fn); // the name is not even looked at
    static const detail::Twin other{99, &found, nullptr};
    found = &other;
    EXPECT_EQ(detail::find_twin(found, "TH_add", "fake:0"), fn); // another type's does not serve
    EXPECT_EQ(found.load()->next, &other);
}

TEST_F(DeviceTest, TwinsHaveNoOtherSource) {
    // TH_tan itself is in the process, and "TH" would be found with RTLD_DEFAULT.
    EXPECT_WICK_ERROR(tan(there({1})), TH_E_UNSUPPORTED,
                      "TH_tan: got tensors on fake:0, whose library has no FAKE_tan");
    EXPECT_WICK_ERROR(relu(there({1})), TH_E_UNSUPPORTED,
                      "THNN_relu: got tensors on fake:0, whose library has no "
                      "FAKENN_relu");
    std::atomic<const detail::Twin *> found{nullptr};
    EXPECT_WICK_ERROR(detail::find_twin(found, "THNN_relu", Device(FAKE(0) + (THDevice(1) << 32))), TH_E_UNSUPPORTED,
                      "THNN_relu: got tensors on other:0, whose library has no such functions");
    EXPECT_EQ(found.load(), nullptr);
}

TEST_F(DeviceTest, MixedDevices) {
    Tensor a = there({1, 2}), b = there({1, 2}, "fake:1"), c = tensor<float>({1, 2});
    EXPECT_WICK_ERROR(a + b, TH_E_DEVICE,
                      "TH_add: got float32[2] on fake:0 and float32[2] on fake:1, want tensors on one device");
    EXPECT_WICK_ERROR(a + c, TH_E_DEVICE, "TH_add: got float32[2] on fake:0 and float32[2] on cpu");
    EXPECT_WICK_ERROR(c + a, TH_E_DEVICE, "TH_add: got float32[2] on cpu and float32[2] on fake:0");
    EXPECT_WICK_ERROR(c.add_(a), TH_E_DEVICE, "on cpu and float32[2] on fake:0");
    EXPECT_WICK_ERROR(a.add_(c), TH_E_DEVICE, "on fake:0 and float32[2] on cpu");
    EXPECT_WICK_ERROR(cat(std::vector{a, c}), TH_E_DEVICE, "TH_cat: got float32[2] on fake:0 and float32[2] on cpu");
    Tensor zero_dim = c[0];
    EXPECT_WICK_ERROR(zero_dim.add_(a[0]), TH_E_DEVICE, "got out on cpu, want fake:0");
    expect_values(a.to(HOME), {1, 2});
    expect_values(c, {1, 2});
}

TEST_F(DeviceTest, NumbersGoWithAnyDevice) {
    Tensor a = there({1, 2});
    for (const Tensor &y : {a * 3, 3 * a, a * tensor<float>({3})[0], tensor<double>({3})[0] * a}) {
        EXPECT_EQ(y.describe(), "float32[2] on fake:0");
        expect_values(y.to(HOME), {3, 6});
    }
    expect_values((a.to(kINT32) * 2.5).to(HOME), {2.5, 5}); // a number, not a float64 tensor: float32
    EXPECT_EQ((a.to(kINT32) * 2.5).dtype(), kFLOAT32);
    EXPECT_EQ(name(Tensor(1) + Tensor(2)), "cpu");
}

TEST_F(DeviceTest, InPlace) {
    Tensor a = there({1, 2}), alias = a.detach();
    a.add_(there({1, 1})), a.mul_(2);
    expect_values(alias.to(HOME), {4, 6});
    a.fill_(7);
    expect_values(alias.to(HOME), {7, 7});
    a.copy_(tensor<double>({3, 4}));
    expect_values(alias.to(HOME), {3, 4});
    Tensor c = zeros({2});
    c.copy_(a);
    expect_values(c, {3, 4});
    uint64_t version = a.version();
    EXPECT_WICK_ERROR(tan_(a), TH_E_UNSUPPORTED, "TH_tan: got tensors on fake:0, whose library has no FAKE_tan");
    EXPECT_EQ(a.version(), version);
}

TEST_F(DeviceTest, SeveralResults) {
    manual_seed(5);
    Tensor x = there({1, 2, 3, 4, 5, 6, 7, 8}), y = dropout(x, 0.5);
    manual_seed(5);
    Tensor want = dropout(x.to(HOME), 0.5); // one generator serves all devices
    EXPECT_EQ(name(y), "fake:0");
    expect_values(y.to(HOME), test::values(want));
}

TEST_F(DeviceTest, Lists) {
    Tensor y = cat(std::vector{there({1}, "fake:1"), there({2, 3}, "fake:1")});
    EXPECT_EQ(name(y), "fake:1");
    expect_values(y.to(HOME), {1, 2, 3});
    EXPECT_WICK_ERROR(stack(std::vector{there({1}), there({2})}), TH_E_UNSUPPORTED, "whose library has no FAKE_stack");
}

// ---- creation ----

TEST_F(DeviceTest, Creation) {
    for (const char *d : {"fake:0", "fake:1"}) {
        EXPECT_EQ(zeros({2}, kINT32, d).describe(), std::string("int32[2] on ") + d);
        expect_values(ones({2}, kFLOAT32, d).to(HOME), {1, 1});
        expect_values(full({2}, 2.5, DType::none, d).to(HOME), {2.5, 2.5});
        expect_values(arange(0, 3, 1, DType::none, d).to(HOME), {0, 1, 2});
        EXPECT_EQ(name(empty({2}, kFLOAT32, d)), d);
        EXPECT_EQ(name(rand({2}, kFLOAT32, d)), d);
        Tensor x = there({1, 2}, d);
        for (const Tensor &t : {zeros_like(x), ones_like(x), empty_like(x)}) EXPECT_EQ(name(t), d);
    }
    EXPECT_EQ(state->current, 0); // as before
    EXPECT_WICK_ERROR(eye(2, kFLOAT32, "fake:0"), TH_E_UNSUPPORTED,
                      "TH_eye: got tensors on fake:0, whose library has no FAKE_eye");
    EXPECT_EQ(name(zeros({2})), "cpu");
}

TEST_F(DeviceTest, RandomNumbersAreTheCpus) {
    manual_seed(7);
    Tensor x = rand({100}, kFLOAT32, "fake:0"), more = rand({3});
    manual_seed(7);
    expect_values(x.to(HOME), test::values(rand({100})), 0);
    expect_values(more, test::values(rand({3})), 0);
}

TEST_F(DeviceTest, OutOfMemory) {
    Tensor x = there({1, 2, 3, 4});
    state->room = 20;
    EXPECT_WICK_ERROR(x + x, TH_E_MEMORY, "fake: got 16 bytes, want fewer");
    EXPECT_WICK_ERROR(zeros({4}, kFLOAT32, "fake:0"), TH_E_MEMORY, "fake: got 16 bytes");
    EXPECT_WICK_ERROR(x.clone(), TH_E_MEMORY, "fake: got 16 bytes");
    EXPECT_WICK_ERROR(tensor<double>({1, 2, 3}).to("fake:0"), TH_E_MEMORY, "fake: got 24 bytes");
    state->room = FAKE_ARENA;
    expect_values((x + x).to(HOME), {2, 4, 6, 8});
}

TEST_F(DeviceTest, FailuresOfTheLibrary) {
    Tensor x = there({1, 2});
    state->fail = TH_E_INTERNAL;
    EXPECT_WICK_ERROR(x.to(HOME), TH_E_INTERNAL, "fake: a failure was asked for");
    state->fail = TH_E_INTERNAL;
    EXPECT_WICK_ERROR(x[0].item<float>(), TH_E_INTERNAL, "fake: a failure was asked for");
    state->fail = TH_E_INTERNAL;
    EXPECT_WICK_ERROR(x.to_string(), TH_E_INTERNAL, "fake: a failure was asked for");
    state->fail = TH_OK;
}

// ---- gradients ----

TEST_F(DeviceTest, Backward) {
    Tensor x = there({1, 2, 3}).requires_grad_(), w = there({2, 2, 2}).requires_grad_(),
           b = there({1}).requires_grad_();
    Tensor loss = (x * w + b).sum();
    loss.backward();
    expect_values(x.grad().to(HOME), {2, 2, 2});
    expect_values(w.grad().to(HOME), {1, 2, 3});
    expect_values(b.grad().to(HOME), {3}); // summed over the broadcast
    for (const Tensor &t : {x, w, b}) EXPECT_EQ(name(t.grad()), "fake:0");
    (x * 1.0).sum().backward(); // adds up
    expect_values(x.grad().to(HOME), {3, 3, 3});
}

TEST_F(DeviceTest, BackwardAcrossDevices) {
    Tensor x = tensor<float>({1, 2}).requires_grad_();
    (x.to("fake:0") * there({3, 4})).sum().backward();
    EXPECT_EQ(name(x.grad()), "cpu");
    expect_values(x.grad(), {3, 4});
    Tensor y = there({1, 2}).requires_grad_();
    (y.to("cpu") * 2).sum().backward();
    EXPECT_EQ(name(y.grad()), "fake:0");
    expect_values(y.grad().to(HOME), {2, 2});
    Tensor z = zeros({2}), s = there({1, 2}).requires_grad_();
    z.copy_(s);
    (z * 5).sum().backward();
    EXPECT_EQ(name(s.grad()), "fake:0");
    expect_values(s.grad().to(HOME), {5, 5});
}

/// Zeros, positions and identities in gradients are made where the gradient is.
TEST_F(DeviceTest, GradientsOfViews) {
    auto grad_of = [](auto f) {
        Tensor x = there({1, 2, 3, 4, 5, 6}).requires_grad_();
        (f(x) * 2).sum().backward();
        EXPECT_EQ(name(x.grad()), "fake:0");
        return test::values(x.grad().to(HOME));
    };
    using V = std::vector<double>;
    EXPECT_EQ(grad_of([](const Tensor &x) { return x.narrow(0, 1, 2); }), (V{0, 2, 2, 0, 0, 0}));
    EXPECT_EQ(grad_of([](const Tensor &x) { return x[5]; }), (V{0, 0, 0, 0, 0, 2}));
    EXPECT_EQ(grad_of([](const Tensor &x) { return x.slice(0, 0, 6, 2); }), (V{2, 0, 2, 0, 2, 0}));
    EXPECT_EQ(grad_of([](const Tensor &x) { return unfold(x, 0, 2, 1); }), (V{2, 4, 4, 4, 4, 2}));
    EXPECT_EQ(grad_of([](const Tensor &x) { return diagonal(x.reshape({2, 3})); }), (V{2, 0, 0, 0, 2, 0}));
    EXPECT_EQ(grad_of([](const Tensor &x) { return x.reshape({3, 2}).t(); }), V(6, 2));
    EXPECT_EQ(grad_of([](const Tensor &x) { return x.unsqueeze(0).expand({2, 6}); }), V(6, 4));
    EXPECT_EQ(grad_of([](const Tensor &x) { return x.to(kFLOAT64); }), V(6, 2));
}

// ---- every op of the registry ----

namespace {
/// Some value for an argument; tensors are on the device.
OwnedValue some_value(const Argument &a) {
    using Type = Argument::Type;
    if (a.list && a.type == Type::Tensor)
        return OwnedValue(box(std::vector{ones({2, 2}).to("fake:0"), ones({2, 2}).to("fake:0")}));
    if (a.type == Type::Tensor) return OwnedValue(box(ones({2, 2}).to("fake:0")));
    if (a.list) return OwnedValue(box(std::vector<int64_t>{1}));
    if (a.type == Type::Float) return OwnedValue(box(0.5));
    if (a.type == Type::Str) return OwnedValue(box("mean"));
    if (a.type == Type::DType) return OwnedValue(box(kFLOAT32));
    if (a.type == Type::Bool) return OwnedValue(box(true));
    return OwnedValue(box(int64_t{1}));
}
} // namespace

/// Nothing is computed on the CPU in silence: each op gives a result on the device, or an error.
TEST_F(DeviceTest, EveryOp) {
    int served = 0, refused = 0;
    for (size_t i = 0; i < op_count(); i++) {
        const Op &op = op_at(i);
        const Schema &s = op.schema;
        bool tensors = false;
        std::vector<OwnedValue> held;
        held.reserve(s.arguments.size());
        std::vector<Value> args;
        for (const Argument &a : s.arguments) {
            if (a.has_default && a.type != Argument::Type::Tensor)
                args.push_back(a.default_value);
            else
                args.push_back(held.emplace_back(some_value(a)).get());
            tensors |= a.type == Argument::Type::Tensor;
        }
        if (!tensors || s.name.starts_with("io::")) continue;
        std::vector<Value> results(s.results.size(), Value{WICK_TAG_UNSET, 0, {}});
        try {
            op.call(args, results);
            for (Value &v : results) {
                if (v.tag == WICK_TAG_TENSOR) {
                    EXPECT_EQ(name(unbox<Tensor>(v)), "fake:0") << s.name;
                }
                clear(v);
            }
            served++;
        } catch (const Error &e) {
            EXPECT_TRUE(e.status() == TH_E_UNSUPPORTED || e.status() == TH_E_DEVICE || e.status() == TH_E_ARG ||
                        e.status() == TH_E_TYPE || e.status() == TH_E_SHAPE)
                << s.name << ": " << e.message();
            refused++;
        }
    }
    EXPECT_GT(served, 25);
    EXPECT_GT(refused, 100);
}

// ---- modules ----

TEST_F(DeviceTest, Modules) {
    nn::Linear fc({.in_features = 2, .out_features = 1});
    NamedTensors before;
    for (auto &[key, value] : fc.state_dict()) before.emplace_back(key, value.clone());
    fc.to("fake:1");
    for (auto &[key, value] : fc.state_dict()) EXPECT_EQ(name(value), "fake:1") << key;
    for (const Tensor &p : fc.parameters()) EXPECT_TRUE(p.requires_grad() && p.is_leaf());
    for (auto &[key, value] : before) value = ones_like(value);
    fc.load_state_dict(before); // from the CPU
    for (auto &[key, value] : fc.state_dict())
        expect_values(value.to(HOME), std::vector<double>(static_cast<size_t>(value.numel()), 1));
    fc.to(HOME);
    expect_values(fc.forward(ones({1, 2})), {3});
}

TEST_F(DeviceTest, Optimizers) {
    Tensor x = there({1, 2}).requires_grad_(), y = tensor<float>({1, 2}).requires_grad_();
    optim::SGD sgd({x, y}, {.lr = 0.5, .momentum = 0.5});
    for (int step = 0; step < 2; step++) {
        sgd.zero_grad();
        (x * 2.0).sum().backward();
        (y * 2.0).sum().backward();
        sgd.step();
    }
    // v = 2, then 0.5 * 2 + 2; x moves by lr v
    expect_values(y, {-1.5, -0.5});
    expect_values(x.to(HOME), {-1.5, -0.5});
    optim::Adam adam({x});
    EXPECT_WICK_ERROR(adam.step(), TH_E_UNSUPPORTED, "TH_lerp: got tensors on fake:0, whose library has no FAKE_lerp");
}
