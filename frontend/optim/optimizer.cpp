// SPDX-License-Identifier: BSD-3-Clause
#include "wick/optim/optimizer.hpp"
#include "core/call.hpp"
#include "core/class.hpp"
#include "wick/autograd.hpp"
#include <algorithm>
#include <charconv>
#include <ostream>
#include <unordered_set>

namespace wick::optim {

namespace {
// What would fail in the middle of a step.
void check_writable(const std::string &got, const Tensor &p) {
    if (THStorage_is_readonly(THTensor_storage(p.th())))
        throw Error(TH_E_ARG, got + "in read-only memory, want memory that can be written");
    for (size_t d = 0; d < p.sizes().size(); d++)
        if (p.strides()[d] == 0 && p.sizes()[d] > 1)
            throw Error(TH_E_ARG, got + "whose elements share memory, want each on its own");
}
} // namespace

void Optimizer::zero_grad(bool set_to_none) {
    for (size_t g = 0; g < group_count(); g++)
        for (Tensor p : params(g)) {
            if (set_to_none)
                p.set_grad({});
            else if (Tensor grad = p.grad(); grad.defined())
                grad.detach().zero_();
        }
}

void Optimizer::set(std::string_view option, const Value &value) {
    for (size_t g = 0; g < group_count(); g++) set(option, value, g);
}

void Optimizer::check_params(const std::vector<Tensor> &added) const {
    std::string what = class_name();
    if (added.empty()) throw Error(TH_E_ARG, what + ": got no parameters, want at least one");
    std::unordered_set<const TensorImpl *> seen;
    for (size_t g = 0; g < group_count(); g++)
        for (const Tensor &p : params(g)) seen.insert(p.impl());
    for (size_t i = 0; i < added.size(); i++) {
        const Tensor &p = added[i];
        std::string got = what + ": got parameter " + std::to_string(i) + " ";
        if (!p.defined()) throw Error(TH_E_ARG, got + "undefined, want a tensor");
        if (!p.is_floating_point()) throw Error(TH_E_TYPE, got + "of " + p.describe() + ", want a floating dtype");
        if (!p.is_leaf()) throw Error(TH_E_ARG, got + "computed by an op, want a leaf");
        check_writable(got, p);
        if (!seen.insert(p.impl()).second) throw Error(TH_E_ARG, got + "a second time, want each once");
    }
}

std::string Optimizer::class_name() const { return wick::detail::type_name(typeid(*this)); }

const Class *Optimizer::registered_class() const { return wick::detail::class_by_type("optim", typeid(*this)); }

std::string Optimizer::to_string() const {
    std::string out = class_name() + "(";
    for (size_t g = 0; g < group_count(); g++) {
        std::string options = describe_group(g);
        out += "\n  group " + std::to_string(g) + ": " + std::to_string(params(g).size()) + " parameters" +
               (options.empty() ? "" : ", ") + options;
    }
    return out + "\n)";
}

std::ostream &operator<<(std::ostream &os, const Optimizer &o) { return os << o.to_string(); }

namespace detail {

Tensor to_tensor(const Tensor &t) { return t; }
Tensor to_tensor(double v) { return full({}, v, kFLOAT64); }
Tensor to_tensor(int64_t v) { return full({}, v, kINT64); }
Tensor to_tensor(bool v) { return full({}, v, kBOOL); }
Tensor to_tensor(std::span<const double> v) { return from_data(v.data(), {static_cast<int64_t>(v.size())}, kFLOAT64); }

void from_tensor(double &v, const Tensor &t) { v = t.item<double>(); }
void from_tensor(int64_t &v, const Tensor &t) { v = t.item<int64_t>(); }
void from_tensor(bool &v, const Tensor &t) { v = t.item<int64_t>() != 0; }

void from_tensor(std::span<double> v, const Tensor &t) {
    if (t.numel() != static_cast<int64_t>(v.size()))
        throw Error(TH_E_SHAPE,
                    "load_state_dict: got " + t.describe() + ", want " + std::to_string(v.size()) + " numbers");
    Tensor numbers = t.to(kFLOAT64).contiguous();
    std::copy_n(numbers.data<double>(), v.size(), v.begin());
}

void from_tensor(Tensor &v, const Tensor &t, const Tensor &parameter) {
    if (!std::ranges::equal(t.sizes(), parameter.sizes()))
        throw Error(TH_E_SHAPE,
                    "load_state_dict: got state of " + t.describe() + " for a parameter of " + parameter.describe());
    v = empty(parameter.sizes(), state_dtype(parameter), parameter.device());
    v.copy_(t.detach());
}

Key parse_key(std::string_view text) {
    size_t first = text.find('.'), second = text.find('.', first + 1);
    size_t index = 0;
    if (first != std::string_view::npos && second != std::string_view::npos) {
        auto [end, ec] = std::from_chars(text.data() + first + 1, text.data() + second, index);
        if (ec == std::errc() && end == text.data() + second)
            return {text.substr(0, first), text.substr(second + 1), index};
    }
    throw Error(TH_E_ARG, "load_state_dict: got '" + std::string(text) +
                              "', want 'group.<index>.<name>' or 'state.<index>.<name>'");
}

void no_option(const std::string &optimizer, std::string_view option) {
    throw Error(TH_E_NOTFOUND, optimizer + ": got unknown '" + std::string(option) + "'");
}

void no_group(const std::string &optimizer, size_t group, size_t count) {
    throw Error(TH_E_INDEX,
                optimizer + ": got group " + std::to_string(group) + ", want below " + std::to_string(count));
}

void check_not_negative(const char *what, std::initializer_list<std::pair<const char *, double>> options) {
    for (auto &[name, value] : options)
        if (!(value >= 0))
            throw Error(TH_E_ARG, std::string(what) + ": got " + name + " " + literal(value) + ", want at least 0");
}

void add_scaled(THTensor *out, const THTensor *a, const THTensor *b, double alpha) {
    overwrite<TH_add>(out, a, b, Scalar(alpha));
}

DType state_dtype(const Tensor &p) {
    DType dtype = p.dtype();
    return dtype == kFLOAT16 || dtype == kBFLOAT16 ? kFLOAT32 : dtype;
}

void make_state(Tensor &t, const Tensor &p) {
    if (!t.defined()) t = zeros(p.sizes(), state_dtype(p), p.device());
}

namespace {
/// What the parameters on one device share.
struct Block {
    Device device;
    int64_t each = 0; // bytes of the largest
    size_t most = 0;
    Tensor memory = {};
};

Block &block_of(std::vector<Block> &blocks, Device device) {
    auto at = std::ranges::find(blocks, device, &Block::device);
    return at != blocks.end() ? *at : blocks.emplace_back(Block{device});
}
} // namespace

std::vector<Tensor> make_scratch(std::span<const Scratch> wanted) {
    constexpr int64_t ALIGNMENT = 64;
    auto size_of = [](const Tensor &p) { return TH_dtype_size(static_cast<THDtype>(state_dtype(p))); };
    std::vector<Block> blocks;
    for (const Scratch &s : wanted)
        if (s.count) {
            const Tensor &p = *s.parameter;
            Block &b = block_of(blocks, p.device());
            b.each = std::max(b.each, (p.numel() * size_of(p) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
            b.most = std::max(b.most, s.count);
        }
    for (Block &b : blocks) b.memory = empty({static_cast<int64_t>(b.most), b.each}, kUINT8, b.device);
    std::vector<Tensor> out;
    for (const Scratch &s : wanted)
        for (size_t k = 0; k < s.count; k++) {
            const Tensor &p = *s.parameter;
            const Block &b = block_of(blocks, p.device());
            std::span<const int64_t> sizes = p.sizes();
            THTensor *t = nullptr;
            check(THTensor_new_over(&t, THTensor_storage(b.memory.th()), static_cast<THDtype>(state_dtype(p)),
                                    sizes.data(), nullptr, static_cast<int32_t>(sizes.size()),
                                    static_cast<int64_t>(k) * b.each / size_of(p)));
            out.push_back(Tensor::adopt(t));
        }
    return out;
}

} // namespace detail
} // namespace wick::optim
