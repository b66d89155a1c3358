// SPDX-License-Identifier: BSD-3-Clause
#include "wick/value.hpp"
#include "wick/options.hpp"
#include <limits>
#include <map>

namespace wick {

namespace {

[[noreturn]] void refuse(const Value &v, const std::string &want) {
    throw Error(TH_E_TYPE, "value: got " + describe(v) + ", want " + want);
}

std::string quoted(std::string_view s) {
    constexpr size_t shown = 40;
    return "'" + std::string(s.substr(0, shown)) + (s.size() > shown ? "...'" : "'");
}

} // namespace

void clear(Value &v) noexcept {
    if (is_object(v) && v.u.o) object(v.u.o)->release();
    v = Value{};
}

ListObject::~ListObject() {
    for (Value &v : items) clear(v);
}

namespace {

/// Of anything but VALUES.
Value copy_one(const Value &v) {
    switch (v.tag) {
    case WICK_TAG_STR: return box(unbox<std::string_view>(v));
    case WICK_TAG_INTS: return box(unbox<std::vector<int64_t>>(v));
    case WICK_TAG_FLOATS: return box(unbox<std::vector<double>>(v));
    default:
        if (is_object(v) && v.u.o) object(v.u.o)->retain();
        return v;
    }
}

/// Lists within lists, without recursion. A view that is named in several places becomes one List.
class ListCopy {
  public:
    Value operator()(const Value &v) {
        Ref<ListObject> root = begin(v);
        while (!open_.empty()) {
            Open &at = open_.back();
            if (at.next == at.from.size()) {
                at.key->second.open = false;
                open_.pop_back();
                continue;
            }
            const Value &item = at.from[at.next++];
            std::vector<Value> &to = at.to->items; // has room
            to.push_back(item.tag == WICK_TAG_VALUES ? box(begin(item)) : copy_one(item));
        }
        return box(std::move(root));
    }

  private:
    struct Made {
        Ref<ListObject> list;
        bool open = true;
    };
    using Views = std::map<std::pair<const Value *, size_t>, Made>;
    struct Open {
        std::span<const Value> from;
        ListObject *to;
        size_t next;
        Views::iterator key;
    };

    Ref<ListObject> begin(const Value &v) {
        std::span<const Value> from = unbox_items(v);
        auto [key, fresh] = made_.try_emplace({from.data(), from.size()});
        if (!fresh && key->second.open)
            throw Error(TH_E_ARG, "value: got a list that holds itself, want one that ends");
        if (!fresh) return key->second.list;
        auto list = make<ListObject>();
        list->items.reserve(from.size());
        key->second.list = list;
        open_.push_back({from, list.get(), 0, key});
        return list;
    }

    Views made_;
    std::vector<Open> open_;
};

} // namespace

Value copy(const Value &v) { return v.tag == WICK_TAG_VALUES ? ListCopy()(v) : copy_one(v); }

std::string describe(const Value &v) {
    switch (v.tag) {
    case WICK_TAG_NONE: return "None";
    case WICK_TAG_BOOL: return v.u.i ? "bool True" : "bool False";
    case WICK_TAG_INT: return "int " + std::to_string(v.u.i);
    case WICK_TAG_FLOAT: return "float " + literal(v.u.f);
    case WICK_TAG_DTYPE: return std::string("dtype ") + TH_dtype_name(static_cast<THDtype>(v.u.i));
    case WICK_TAG_DEVICE: return "device " + Device(v.u.bits).name();
    case WICK_TAG_STR:
    case WICK_TAG_STRING: return "str " + quoted(unbox<std::string_view>(v));
    case WICK_TAG_INTS: return "int[" + std::to_string(v.aux) + "]";
    case WICK_TAG_FLOATS: return "float[" + std::to_string(v.aux) + "]";
    case WICK_TAG_VALUES:
    case WICK_TAG_LIST: return "a list of " + std::to_string(unbox_items(v).size());
    case WICK_TAG_TENSOR: return "Tensor " + unbox<Tensor>(v).describe();
    case WICK_TAG_FUNCTION: return "a Function";
    case WICK_TAG_MODULE: return "a Module";
    case WICK_TAG_OPTIMIZER: return "an Optimizer";
    case WICK_TAG_UNSET: return "an unset value";
    default: return "a value with the unknown tag " + std::to_string(v.tag);
    }
}

Object *unbox_object(const Value &v, Kind kind) {
    static constexpr std::pair<Kind, const char *> names[] = {{Kind::Tensor, "Tensor"}, {Kind::String, "str"},
                                                              {Kind::List, "list"},     {Kind::Function, "Function"},
                                                              {Kind::Module, "Module"}, {Kind::Optimizer, "Optimizer"}};
    if (v.tag == static_cast<uint32_t>(kind) && v.u.o && object(v.u.o)->kind() == kind) return object(v.u.o);
    for (auto &[k, name] : names)
        if (k == kind) refuse(v, name);
    refuse(v, "another object");
}

std::span<const Value> unbox_items(const Value &v) {
    if (v.tag == WICK_TAG_NONE) return {};
    if (v.tag == WICK_TAG_VALUES && (v.u.values || v.aux == 0)) return {v.u.values, v.aux};
    if (v.tag == WICK_TAG_LIST) return static_cast<ListObject *>(unbox_object(v, Kind::List))->items;
    refuse(v, "list");
}

Tensor Unbox<Tensor>::get(const Value &v) {
    switch (v.tag) {
    case WICK_TAG_TENSOR:
        return Tensor(Ref<TensorImpl>::share(static_cast<TensorImpl *>(unbox_object(v, Kind::Tensor))));
    case WICK_TAG_NONE: return {};
    case WICK_TAG_BOOL:
    case WICK_TAG_INT:
    case WICK_TAG_FLOAT: return Tensor(unbox<Scalar>(v));
    default: refuse(v, "Tensor");
    }
}

Scalar Unbox<Scalar>::get(const Value &v) {
    switch (v.tag) {
    case WICK_TAG_BOOL: return Scalar(v.u.i != 0);
    case WICK_TAG_INT: return Scalar(v.u.i);
    case WICK_TAG_FLOAT: return Scalar(v.u.f);
    default: refuse(v, "Scalar");
    }
}

int64_t Unbox<int64_t>::get(const Value &v) {
    if (v.tag != WICK_TAG_INT) refuse(v, "int");
    return v.u.i;
}

int32_t Unbox<int32_t>::get(const Value &v) {
    int64_t i = unbox<int64_t>(v);
    if (i < std::numeric_limits<int32_t>::min() || i > std::numeric_limits<int32_t>::max())
        throw Error(TH_E_ARG, "value: got " + describe(v) + ", want an int of 32 bits");
    return static_cast<int32_t>(i);
}

uint64_t Unbox<uint64_t>::get(const Value &v) { return static_cast<uint64_t>(unbox<int64_t>(v)); }

double Unbox<double>::get(const Value &v) {
    if (v.tag == WICK_TAG_INT) return static_cast<double>(v.u.i);
    if (v.tag != WICK_TAG_FLOAT) refuse(v, "float");
    return v.u.f;
}

bool Unbox<bool>::get(const Value &v) {
    if (v.tag != WICK_TAG_BOOL) refuse(v, "bool");
    return v.u.i != 0;
}

std::string_view Unbox<std::string_view>::get(const Value &v) {
    if (v.tag == WICK_TAG_STR && (v.u.s || v.aux == 0)) return {v.u.s, v.aux};
    if (v.tag == WICK_TAG_STRING) return static_cast<StringObject *>(unbox_object(v, Kind::String))->text;
    refuse(v, "str");
}

DType Unbox<DType>::get(const Value &v) {
    if (v.tag == WICK_TAG_NONE) return DType::none;
    if (v.tag != WICK_TAG_DTYPE || TH_dtype_size(static_cast<THDtype>(v.u.i)) == 0) refuse(v, "dtype");
    return static_cast<DType>(v.u.i);
}

Device Unbox<Device>::get(const Value &v) {
    if (v.tag == WICK_TAG_NONE) return {};
    if (v.tag == WICK_TAG_DEVICE) return v.u.bits;
    if (v.tag != WICK_TAG_STR && v.tag != WICK_TAG_STRING) refuse(v, "device");
    return unbox<std::string_view>(v);
}

Sizes Unbox<Sizes>::get(const Value &v) {
    if (v.tag == WICK_TAG_NONE) return {};
    if (v.tag == WICK_TAG_INT) return {&v.u.i, 1};
    if (v.tag == WICK_TAG_INTS && (v.u.ints || v.aux == 0)) return {v.u.ints, v.aux};
    refuse(v, "int[]");
}

namespace {
template <size_t N> PerDim<N> per_dim(const Value &v, const char *want) {
    auto convert = [&](Sizes list) {
        if (list.size() != 1 && list.size() != N)
            throw Error(TH_E_ARG, "value: got " + describe(v) + ", want " + want + " int");
        PerDim<N> out(list.front());
        std::copy(list.begin(), list.end(), out.v);
        return out;
    };
    if (v.tag == WICK_TAG_INT || v.tag == WICK_TAG_INTS) return convert(unbox<Sizes>(v));
    return convert(unbox<std::vector<int64_t>>(v));
}
} // namespace

Single Unbox<Single>::get(const Value &v) { return per_dim<1>(v, "one"); }
Pair Unbox<Pair>::get(const Value &v) { return per_dim<2>(v, "one or two"); }
Triple Unbox<Triple>::get(const Value &v) { return per_dim<3>(v, "one or three"); }

std::vector<int64_t> Unbox<std::vector<int64_t>>::get(const Value &v) {
    std::vector<int64_t> out;
    if (v.tag == WICK_TAG_VALUES || v.tag == WICK_TAG_LIST) {
        for (const Value &item : unbox_items(v)) out.push_back(unbox<int64_t>(item));
        return out;
    }
    Sizes sizes = unbox<Sizes>(v);
    out.assign(sizes.begin(), sizes.end());
    return out;
}

std::vector<int32_t> Unbox<Dims>::get(const Value &v) {
    std::vector<int32_t> out;
    for (int64_t i : unbox<std::vector<int64_t>>(v)) out.push_back(unbox<int32_t>(box(i)));
    return out;
}

std::vector<double> Unbox<std::vector<double>>::get(const Value &v) {
    std::vector<double> out;
    if (v.tag == WICK_TAG_FLOATS && (v.u.floats || v.aux == 0)) return {v.u.floats, v.u.floats + v.aux};
    if (v.tag == WICK_TAG_FLOAT) return {v.u.f};
    if (v.tag == WICK_TAG_VALUES || v.tag == WICK_TAG_LIST) {
        for (const Value &item : unbox_items(v)) out.push_back(unbox<double>(item));
        return out;
    }
    for (int64_t i : unbox<std::vector<int64_t>>(v)) out.push_back(static_cast<double>(i));
    return out;
}

Ref<Object> Unbox<Ref<Object>>::get(const Value &v) {
    if (!is_object(v) || !v.u.o) refuse(v, "an object");
    return Ref<Object>::share(object(v.u.o));
}

} // namespace wick
