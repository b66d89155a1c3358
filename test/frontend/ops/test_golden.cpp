// SPDX-License-Identifier: BSD-3-Clause
// Values, dtypes, sizes and first gradients of the registry's ops against PyTorch's: golden/ops.safetensors, made by
// tools/gen/ops_golden.py, whose head describes the format.
#include "wick/autograd.hpp"
#include "wick/io.hpp"
#include "wick/ops.hpp"
#include "wick/value.hpp"
#include <algorithm>
#include <charconv>
#include <gtest/gtest.h>
#include <map>

using namespace wick;

namespace {
std::vector<std::string_view> split(std::string_view text, char at) {
    std::vector<std::string_view> out;
    for (size_t start = 0; start <= text.size();) {
        size_t end = std::min(text.find(at, start), text.size());
        if (end > start) out.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return out;
}

template <class T> T number(std::string_view text) {
    T v{};
    std::from_chars(text.data(), text.data() + text.size(), v);
    return v;
}

/// How far a result may be from PyTorch's, relative to 1 + its size.
double tolerance(DType d) {
    switch (d) {
    case kFLOAT64: return 1e-11;
    case kFLOAT32: return 2e-6;
    case kFLOAT16: return 1e-3;
    case kBFLOAT16: return 1e-2;
    default: return 0;
    }
}

class Golden : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        io::Checkpoint file = io::load_safetensors(GOLDEN);
        tensors = new std::map<std::string, Tensor>(file.tensors.begin(), file.tensors.end());
        cases = new std::map<std::string, std::string>(file.metadata.begin(), file.metadata.end());
    }
    static void TearDownTestSuite() {
        delete tensors;
        delete cases;
    }

    static Tensor find(const std::string &key) {
        auto found = tensors->find(key);
        return found == tensors->end() ? Tensor() : found->second;
    }

    /// An argument's value; tensors with a golden gradient become leaves.
    Value argument(const std::string &name, size_t i, std::string_view spec) {
        std::string key = name + ".arg" + std::to_string(i);
        if (spec == "T") {
            Tensor t = find(key);
            if (find(name + ".grad" + std::to_string(i)).defined()) t = t.clone().requires_grad_();
            leaves.push_back(t);
            return box(t);
        }
        if (spec[0] == 'L') {
            std::vector<Tensor> list;
            for (int n = 0; n < number<int>(spec.substr(2)); n++) list.push_back(find(key + "." + std::to_string(n)));
            return box(list);
        }
        leaves.emplace_back();
        if (spec == "-") return {};
        if (spec[0] == '[') {
            std::vector<int64_t> list;
            for (std::string_view item : split(spec.substr(1, spec.size() - 2), ','))
                list.push_back(number<int64_t>(item));
            return box(list);
        }
        std::string_view v = spec.substr(2);
        switch (spec[0]) {
        case 'i': return box(number<int64_t>(v));
        case 'f': return box(number<double>(v));
        case 'b': return box(v == "1");
        default: return box(v);
        }
    }

    static void expect_close(const Tensor &got, const Tensor &want, const std::string &what) {
        ASSERT_TRUE(got.defined()) << what;
        ASSERT_EQ(got.describe(), want.describe()) << what;
        Tensor g = got.detach().to(kFLOAT64).contiguous(), w = want.to(kFLOAT64).contiguous();
        double tol = tolerance(want.dtype());
        for (int64_t i = 0; i < w.numel(); i++) {
            double a = g.data<double>()[i], b = w.data<double>()[i];
            bool same = a == b || (a != a && b != b) || std::abs(a - b) <= tol * (1 + std::abs(b));
            EXPECT_TRUE(same) << what << ", element " << i << ": got " << a << ", want " << b;
            if (!same) return;
        }
    }

    void run(const std::string &name, const std::string &spec) {
        std::vector<std::string_view> parts = split(spec, '|');
        const Op *op = find_op(parts[0]);
        ASSERT_NE(op, nullptr) << spec;
        leaves.clear();
        std::vector<OwnedValue> held;
        std::vector<Value> args;
        for (size_t i = 1; i < parts.size(); i++) {
            held.emplace_back(argument(name, i - 1, parts[i]));
            args.push_back(held.back().get());
        }
        Value results[4];
        std::vector<OwnedValue> owned;
        for (const Value &v : std::span(results, op->call(args, results))) owned.emplace_back(v);
        Tensor y = unbox<Tensor>(owned[0].get()); // the first of several
        expect_close(y, find(name + ".out"), "case " + name + ": " + spec);
        Tensor seed = find(name + ".seed");
        if (!seed.defined()) return;
        y.backward(seed);
        for (size_t i = 0; i < leaves.size(); i++)
            if (Tensor want = find(name + ".grad" + std::to_string(i)); want.defined())
                expect_close(leaves[i].grad(), want,
                             "case " + name + ": " + spec + ", gradient of argument " + std::to_string(i));
    }

    static std::map<std::string, Tensor> *tensors;
    static std::map<std::string, std::string> *cases;
    std::vector<Tensor> leaves; // by position of the argument; undefined for others
};
std::map<std::string, Tensor> *Golden::tensors;
std::map<std::string, std::string> *Golden::cases;
} // namespace

TEST_F(Golden, EveryCase) {
    EXPECT_GT(cases->size(), 400u);
    for (const auto &[name, spec] : *cases) {
        try {
            run(name, spec);
        } catch (const Error &e) {
            ADD_FAILURE() << "case " << name << ": " << spec << ": " << e.message();
        }
    }
}
