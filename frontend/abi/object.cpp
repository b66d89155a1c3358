// SPDX-License-Identifier: BSD-3-Clause
#include "abi/guard.hpp"
#include <cstddef>
#include <cstring>
#include <set>
#include <unordered_set>

static_assert(sizeof(wick_value) == 16 && offsetof(wick_value, aux) == 4 && offsetof(wick_value, u) == 8);
#define WICK_SAME_KIND(NAME, Name) static_assert(WICK_TAG_##NAME == static_cast<uint32_t>(wick::Kind::Name));
WICK_SAME_KIND(TENSOR, Tensor)
WICK_SAME_KIND(STRING, String)
WICK_SAME_KIND(LIST, List)
WICK_SAME_KIND(FUNCTION, Function)
WICK_SAME_KIND(MODULE, Module)
WICK_SAME_KIND(OPTIMIZER, Optimizer)
#undef WICK_SAME_KIND

namespace wick::abi {

static void check_flat(const char *fn, size_t i, const Value &v) {
    if (is_object(v)) {
        if (!v.u.o) fail(TH_E_ARG, "%s: argument %zu is a NULL %s", fn, i, kind_name(v.tag).c_str());
        uint32_t kind = static_cast<uint32_t>(object(v.u.o)->kind());
        if (kind != v.tag)
            fail(TH_E_TYPE, "%s: argument %zu is tagged %s, but is a %s", fn, i, kind_name(v.tag).c_str(),
                 kind_name(kind).c_str());
    } else if (v.tag > WICK_TAG_VALUES && v.tag != WICK_TAG_UNSET) {
        fail(TH_E_TYPE, "%s: argument %zu has the unknown tag %u", fn, i, v.tag);
    } else if (v.tag >= WICK_TAG_STR && v.aux && !v.u.p) {
        fail(TH_E_ARG, "%s: argument %zu is NULL, want %u elements", fn, i, v.aux);
    }
}

// Views within views wait in a list: the host may have nested them as deep as it likes, and named one many times.
void check_value(const char *fn, size_t i, const Value &v) {
    check_flat(fn, i, v);
    if (v.tag != WICK_TAG_VALUES) return;
    std::span<const Value> items(v.u.values, v.aux);
    std::vector<std::span<const Value>> waiting;
    std::set<std::pair<const Value *, size_t>> seen;
    for (;;) {
        for (size_t k = 0; k < items.size(); k++) {
            check_flat(fn, k, items[k]);
            if (items[k].tag == WICK_TAG_VALUES && seen.emplace(items[k].u.values, items[k].aux).second)
                waiting.emplace_back(items[k].u.values, items[k].aux);
        }
        if (waiting.empty()) return;
        items = waiting.back();
        waiting.pop_back();
    }
}

// Lists in lists count once each.
static int64_t nbytes(const Object *root) {
    int64_t n = 0;
    std::vector<const Object *> waiting{root};
    std::unordered_set<const Object *> seen;
    while (!waiting.empty()) {
        const Object *o = waiting.back();
        waiting.pop_back();
        if (o->kind() == Kind::Tensor)
            n += THStorage_nbytes(THTensor_storage(static_cast<const TensorImpl *>(o)->th));
        else if (o->kind() == Kind::String)
            n += static_cast<int64_t>(static_cast<const StringObject *>(o)->text.size());
        else if (o->kind() == Kind::List && seen.insert(o).second)
            for (const Value &v : static_cast<const ListObject *>(o)->items)
                if (is_object(v)) waiting.push_back(object(v.u.o));
    }
    return n;
}

} // namespace wick::abi

using namespace wick::abi;
using wick::Kind;
using wick::ListObject;
using wick::StringObject;
using wick::Value;

void wick_retain(wick_object *o) {
    if (o) wick::object(o)->retain();
}

void wick_release(wick_object *o) {
    if (o) wick::object(o)->release();
}

uint32_t wick_tag(const wick_object *o) {
    return o ? static_cast<uint32_t>(wick::object(const_cast<wick_object *>(o))->kind())
             : static_cast<uint32_t>(WICK_TAG_NONE);
}

int64_t wick_nbytes(const wick_object *o) {
    return guard_value("wick_nbytes", int64_t{0},
                       [&] { return o ? nbytes(wick::object(const_cast<wick_object *>(o))) : 0; });
}

void wick_value_clear(wick_value *v) {
    if (v) wick::clear(*v);
}

int32_t wick_string_new(const char *bytes, int64_t nbytes, wick_object **out) {
    return guard("wick_string_new", [&] {
        need("wick_string_new", "out", out);
        if (nbytes != 0) need("wick_string_new", "bytes", bytes);
        if (nbytes < -1)
            wick::fail(TH_E_ARG, "wick_string_new: got %lld bytes, want at least -1", static_cast<long long>(nbytes));
        std::string text = nbytes == 0  ? std::string()
                           : nbytes < 0 ? std::string(bytes)
                                        : std::string(bytes, static_cast<size_t>(nbytes));
        *out = wick::handle(new StringObject(std::move(text)));
    });
}

int32_t wick_string_data(const wick_object *s, const char **bytes, int64_t *nbytes) {
    return guard("wick_string_data", [&] {
        need("wick_string_data", "bytes", bytes);
        const std::string &text =
            static_cast<StringObject *>(need_kind("wick_string_data", "s", s, Kind::String))->text;
        *bytes = text.c_str();
        if (nbytes) *nbytes = static_cast<int64_t>(text.size());
    });
}

int32_t wick_list_new(const wick_value *values, uint32_t n, wick_object **out) {
    return guard("wick_list_new", [&] {
        need("wick_list_new", "out", out);
        if (n) need("wick_list_new", "values", values);
        std::span<const Value> items(values, n);
        check_values("wick_list_new", items);
        *out = wick::copy(wick_v_values(values, n)).u.o;
    });
}

static const std::vector<Value> &items(const char *fn, const wick_object *list) {
    return static_cast<ListObject *>(need_kind(fn, "list", list, Kind::List))->items;
}

int32_t wick_list_count(const wick_object *list, uint32_t *n) {
    return guard("wick_list_count", [&] {
        need("wick_list_count", "n", n);
        *n = static_cast<uint32_t>(items("wick_list_count", list).size());
    });
}

int32_t wick_list_get(const wick_object *list, uint32_t i, wick_value *out) {
    return guard("wick_list_get", [&] {
        need("wick_list_get", "out", out);
        const std::vector<Value> &all = items("wick_list_get", list);
        if (i >= all.size()) wick::fail(TH_E_INDEX, "wick_list_get: got item %u, want one of %zu", i, all.size());
        *out = wick::copy(all[i]);
    });
}
