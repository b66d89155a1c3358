// SPDX-License-Identifier: BSD-3-Clause
/// The cases of test/frontend/ops/cases.def, whose head describes them, as calls of the registry's ops.
#ifndef WICK_TEST_SUPPORT_OP_CASES_HPP
#define WICK_TEST_SUPPORT_OP_CASES_HPP

#include "wick/ops.hpp"
#include "wick/registry.hpp"
#include "wick/value.hpp"
#include <algorithm>
#include <charconv>
#include <sstream>
#include <variant>

namespace wick::test {

struct OpCase {
    std::string op;
    std::vector<std::string> args;
    double lo = -1, hi = 1; ///< the domain
    bool integers = false;  ///< the family has no floating form

    std::string text() const {
        std::string s = op;
        for (const std::string &a : args) s += " | " + a;
        return s;
    }
};

namespace detail {
/// A row of TH/ops/*.def.
struct FamilyRow {
    const char *family, *op;
    std::string_view cls;
    double lo, hi;
};
inline const FamilyRow family_rows[] = {
#define TH_UNARY(name, cls, ulp, lo, hi) {"unary", #name, #cls, lo, hi},
#include "TH/ops/unary.def"
#undef TH_UNARY
#define TH_BINARY(name, cls, ulp, lo, hi) {"binary", #name, #cls, lo, hi},
#include "TH/ops/binary.def"
#undef TH_BINARY
};

inline void add_family(std::vector<OpCase> &out, std::string_view family, const std::vector<std::string> &args) {
    for (const FamilyRow &r : family_rows) {
        if (r.family != family) continue;
        double lo = std::max(r.lo, -2.0), hi = std::min(r.hi, 2.0), middle = (lo + hi) / 2, half = (hi - lo) / 2 * 0.9;
        out.push_back({r.op, args, middle - half, middle + half, r.cls == "BITS" || r.cls == "SHIFT"});
    }
}

inline std::vector<std::string> split(const std::string &text, char at) {
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, at);)
        if (!part.empty()) out.push_back(part);
    return out;
}

template <class T> std::vector<T> numbers(const std::string &text, char at) {
    std::vector<T> out;
    for (const std::string &part : split(text, at)) {
        T v{};
        std::from_chars(part.data(), part.data() + part.size(), v);
        out.push_back(v);
    }
    return out;
}

/// One tensor of a case: "x 2x3 0.5..2 :step".
struct TensorSpec {
    char kind = 'x';
    std::vector<int64_t> sizes;
    double lo, hi;
    std::vector<double> elements;
    bool listed = false;
    std::string layout;

    TensorSpec(const std::string &text, const OpCase &c) : lo(c.lo), hi(c.hi) {
        std::vector<std::string> words = split(text, ' ');
        kind = c.integers ? 'i' : words[0][0];
        sizes = words[1] == "." ? std::vector<int64_t>{} : numbers<int64_t>(words[1], 'x');
        if (kind == 'i') lo = 0, hi = 5;
        for (size_t i = 2; i < words.size(); i++) {
            size_t dots = words[i].find("..");
            if (words[i][0] == ':') {
                layout = words[i].substr(1);
            } else if (words[i] == "=") {
                listed = true;
                if (i + 1 < words.size()) elements = numbers<double>(words[++i], ',');
            } else if (dots != std::string::npos) {
                lo = std::stod(words[i].substr(0, dots)), hi = std::stod(words[i].substr(dots + 2));
            }
        }
    }

    /// Its elements, contiguous.
    Tensor make(DType floating) const {
        DType d = kind == 'i' ? kINT64 : kind == 'b' ? kBOOL : floating;
        if (listed) return from_data(elements.data(), sizes, kFLOAT64).to(d);
        if (kind == 'i') return randint(static_cast<int64_t>(lo), static_cast<int64_t>(hi), sizes);
        Tensor t = rand(sizes, kFLOAT64) * (kind == 'b' ? 1 : hi - lo) + (kind == 'b' ? 0 : lo);
        return kind == 'b' ? gt(t, 0.5) : t.to(d);
    }

    /// t laid out; differentiable.
    Tensor laid_out(const Tensor &t) const {
        if (layout == "step") return select(stack(std::vector{t, t}, -1), -1, 0);
        if (layout == "stretched") return expand(narrow(t, 0, 0, 1), t.sizes());
        if (layout != "turned") return t;
        std::vector<int32_t> dims;
        for (int32_t d = t.dim(); d-- > 0;) dims.push_back(d);
        return permute(contiguous(permute(t, dims)), dims);
    }
};
} // namespace detail

/// Every case; those of a family once for each op of it.
inline std::vector<OpCase> op_cases() {
    std::vector<OpCase> out;
#define CASE(op, ...) out.push_back({#op, {__VA_ARGS__}});
#define FAMILY(stem, ...) detail::add_family(out, #stem, {__VA_ARGS__});
#include "frontend/ops/cases.def"
#undef CASE
#undef FAMILY
    return out;
}

/// A case with elements, as a function of its differentiated tensors.
class OpCall {
  public:
    OpCall(const OpCase &c, DType floating) : op_(find_op(c.op)) {
        for (const std::string &text : c.args) args_.push_back(argument(text, c, floating));
    }

    const Op *op() const { return op_; }
    /// The differentiated tensors, contiguous.
    const std::vector<Tensor> &inputs() const { return inputs_; }

    /// Calls `op` (the case's own, unless given) with inputs in place of inputs(). Random numbers are the same each
    /// time.
    Tensor operator()(std::span<const Tensor> inputs, const Op *op = nullptr) const {
        manual_seed(1);
        std::vector<OwnedValue> held;
        std::vector<Value> values;
        for (const Arg &a : args_) {
            if (auto *ints = std::get_if<std::vector<int64_t>>(&a)) {
                values.push_back({WICK_TAG_INTS, static_cast<uint32_t>(ints->size()), {.ints = ints->data()}});
                continue;
            }
            if (auto *tensors = std::get_if<Tensors>(&a)) {
                std::vector<Tensor> placed;
                for (const Placed &p : tensors->items) placed.push_back(p.at(inputs));
                held.emplace_back(tensors->list ? box(placed) : box(placed[0]));
            } else {
                held.emplace_back(copy(std::get<OwnedValue>(a).get()));
            }
            values.push_back(held.back().get());
        }
        Value results[4];
        std::vector<OwnedValue> owned;
        for (const Value &v : std::span(results, (op ? op : op_)->call(values, results))) owned.emplace_back(v);
        return unbox<Tensor>(owned[0].get()); // of several results the first
    }

  private:
    struct Placed {
        detail::TensorSpec spec;
        Tensor constant;  ///< or
        size_t input = 0; ///< its place among the inputs
        Tensor at(std::span<const Tensor> inputs) const {
            Tensor t = !constant.defined() ? inputs[input]
                       : spec.kind == 'c'  ? constant.to(inputs[0].dtype()) // which may be wider than the case was made
                                           : constant;
            return spec.layout.empty() ? t : spec.laid_out(t);
        }
    };
    struct Tensors {
        std::vector<Placed> items;
        bool list;
    };
    using Arg = std::variant<Tensors, std::vector<int64_t>, OwnedValue>;

    Placed placed(const std::string &text, const OpCase &c, DType floating) {
        Placed p{detail::TensorSpec(text, c), {}};
        Tensor t = p.spec.make(floating);
        p.input = inputs_.size();
        if (p.spec.kind == 'x')
            inputs_.push_back(t);
        else
            p.constant = t;
        return p;
    }

    Arg argument(const std::string &text, const OpCase &c, DType floating) {
        if (text[0] == '[') {
            Tensors list{{}, true};
            for (std::string item : detail::split(text.substr(1, text.size() - 2), ';'))
                list.items.push_back(placed(item.substr(item.find_first_not_of(' ')), c, floating));
            return list;
        }
        if (std::string("xcib").find(text[0]) != std::string::npos && text[1] == ' ')
            return Tensors{{placed(text, c, floating)}, false};
        if (text[0] == '(') return detail::numbers<int64_t>(text.substr(1, text.size() - 2), ',');
        if (text[0] == '\'') return OwnedValue(box(std::string_view(text).substr(1, text.size() - 2)));
        if (text == "none") return OwnedValue(Value{});
        if (text == "true" || text == "false") return OwnedValue(box(text == "true"));
        if (text == "float64" || text == "float32") return OwnedValue(box(text == "float64" ? kFLOAT64 : kFLOAT32));
        if (text.find('.') == std::string::npos) return OwnedValue(box(static_cast<int64_t>(std::stoll(text))));
        return OwnedValue(box(std::stod(text)));
    }

    const Op *op_;
    std::vector<Arg> args_;
    std::vector<Tensor> inputs_;
};

} // namespace wick::test
#endif
