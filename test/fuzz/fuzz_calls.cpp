// SPDX-License-Identifier: BSD-3-Clause
// Calls through the C ABI with hostile values: the input chooses ops, classes and methods, and what they are given.
// Every call must succeed, or refuse with an error of its own status and leave its results alone; nothing may leak,
// hang or end the process.
#include "fuzz/fuzz.hpp"
#include "wick/abi.h"
#include <cmath>
#include <cstring>
#include <deque>
#include <vector>

namespace {

#define REQUIRE(condition)                                                                                             \
    do                                                                                                                 \
        if (!(condition)) std::fprintf(stderr, "%s:%d: not %s\n", __FILE__, __LINE__, #condition), std::abort();       \
    while (0)

// ---- memory: a small budget, so that no size is too large to be refused ----

constexpr int64_t MOST = int64_t{1} << 26; // bytes of one block

void *allocate(void *, uint64_t, int64_t bytes, int64_t alignment) {
    if (bytes > MOST) return nullptr;
    return std::aligned_alloc(static_cast<size_t>(alignment),
                              static_cast<size_t>((bytes + alignment - 1) / alignment * alignment));
}
void deallocate(void *, uint64_t, void *p, int64_t) { std::free(p); }

// ---- the input as a source of choices; 0 for ever when it is used up ----

class Choices {
  public:
    Choices(const uint8_t *data, size_t size) : p_(data), end_(data + size) {}
    bool left() const { return p_ != end_; }
    uint32_t byte() { return p_ != end_ ? *p_++ : 0; }
    uint32_t below(uint32_t n) { return n > 256 ? (byte() << 8 | byte()) % n : byte() % n; }
    template <class T, size_t N> const T &of(const T (&list)[N]) { return list[below(N)]; }

  private:
    const uint8_t *p_, *end_;
};

constexpr int64_t INTS[] = {
    0,  1,  2,   3,   -1,        -2,        4,         5,         7,         8,         16,        63,        64,
    65, -3, 255, 256, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 1ll << 31, 1ll << 32, 1ll << 40, 1ll << 62, 100000};
constexpr double FLOATS[] = {0,     -0.0,   1,      0.5,  -1,       2,         1e-5, 0.1, 0.9,
                             1e308, -1e308, 5e-324, 1e30, HUGE_VAL, -HUGE_VAL, NAN,  3};
constexpr const char *STRINGS[] = {"mean", "sum",   "none", "tanh",     "",         "floor",  "trunc",
                                   "same", "valid", "add",  "nonsense", "\xff\xfe", "weight", "0.weight"};

/// Tensors, modules and optimizers to draw arguments from.
class Pool {
  public:
    Pool() {
        const int64_t shapes[][3] = {{2, 3, 0}, {3, 0, 0}, {0, 0, 0}, {2, 0, 4}};
        const uint32_t dims[] = {2, 1, 0, 3};
        std::vector<unsigned char> zeros(64 * 8);
        for (int32_t dtype = WICK_BOOL; dtype <= WICK_FLOAT64; dtype++)
            for (size_t s = 0; s < 4; s++) {
                wick_object *t = nullptr;
                REQUIRE(wick_tensor_from_data(zeros.data(), dtype, shapes[s], dims[s], &t) == WICK_OK);
                keep(t);
            }
        const int64_t image[] = {1, 2, 5, 5};
        std::vector<float> pixels(50);
        for (size_t i = 0; i < pixels.size(); i++) pixels[i] = static_cast<float>(i % 7) - 3;
        wick_object *t = nullptr;
        REQUIRE(wick_tensor_from_data(pixels.data(), WICK_FLOAT32, image, 4, &t) == WICK_OK);
        keep(t);
        REQUIRE(wick_tensor_from_data(pixels.data(), WICK_FLOAT32, image + 2, 2, &t) == WICK_OK);
        REQUIRE(wick_tensor_set_requires_grad(t, 1) == WICK_OK);
        keep(t);
    }
    ~Pool() {
        for (wick_object *o : objects_) wick_release(o);
    }
    Pool(const Pool &) = delete;
    Pool &operator=(const Pool &) = delete;

    void keep(wick_object *o) { objects_.push_back(o); }
    wick_object *any(Choices &c) const { return objects_[c.below(static_cast<uint32_t>(objects_.size()))]; }
    /// One of a tag, if the choice falls on it or near.
    wick_object *of(Choices &c, uint32_t tag) const {
        uint32_t start = c.below(static_cast<uint32_t>(objects_.size()));
        for (size_t i = 0; i < objects_.size(); i++)
            if (wick_object *o = objects_[(start + i) % objects_.size()]; wick_tag(o) == tag) return o;
        return any(c);
    }

  private:
    std::vector<wick_object *> objects_;
};

/// The arguments of one call, and what they point to.
class Arguments {
  public:
    Arguments(Choices &choices, const Pool &pool) : c_(choices), pool_(pool) {}
    std::vector<wick_value> values;

    /// Mostly of the kind that the parameter wants, sometimes of any.
    void add(const wick_op *op, uint32_t i) {
        const char *name = "", *type = "";
        uint32_t flags = 0;
        wick_value dflt{};
        REQUIRE(wick_op_arg(op, i, &name, &type, &flags, &dflt) == WICK_OK);
        uint32_t choice = c_.byte();
        if (choice < 16) return values.push_back(anything(2));
        if (choice < 48 && flags & WICK_ARG_DEFAULT) return values.push_back(wick_v_unset());
        values.push_back(of_type(type, (flags & WICK_ARG_LIST) != 0));
    }
    wick_value anything(int depth) {
        switch (c_.below(13)) {
        case 0: return wick_v_none();
        case 1: return number(WICK_TAG_BOOL);
        case 2: return number(WICK_TAG_INT);
        case 3: return number(WICK_TAG_FLOAT);
        case 4: return number(WICK_TAG_DTYPE);
        case 5: return number(WICK_TAG_DEVICE);
        case 6: return string();
        case 7: return ints();
        case 8: return floats();
        case 9: return depth ? list(depth - 1) : wick_v_none();
        case 10: return wick_v_unset();
        case 11: {
            wick_value v{};
            v.tag = 10 + c_.below(54); // no tag that exists
            return v;
        }
        default: return object(pool_.any(c_));
        }
    }

  private:
    static wick_value object(wick_object *o) { return {wick_tag(o), 0, {.o = o}}; }
    wick_value number(uint32_t tag) {
        wick_value v{tag, 0, {.i = c_.of(INTS)}};
        if (tag == WICK_TAG_FLOAT) v.u.f = c_.of(FLOATS);
        if (tag == WICK_TAG_BOOL) v.u.i &= 1;
        if (tag == WICK_TAG_DTYPE && c_.below(8)) v.u.i = c_.below(10);
        if (tag == WICK_TAG_DEVICE && c_.below(4)) v.u.i = 0;
        return v;
    }
    wick_value string() {
        const char *s = c_.of(STRINGS);
        return {WICK_TAG_STR, static_cast<uint32_t>(std::strlen(s)), {.s = s}};
    }
    wick_value ints() {
        std::vector<int64_t> &list = ints_.emplace_back();
        for (uint32_t n = c_.below(6); n > 0; n--) list.push_back(c_.below(3) ? c_.below(5) : c_.of(INTS));
        return {WICK_TAG_INTS, static_cast<uint32_t>(list.size()), {.ints = list.data()}};
    }
    wick_value floats() {
        std::vector<double> &list = floats_.emplace_back();
        for (uint32_t n = c_.below(4); n > 0; n--) list.push_back(c_.of(FLOATS));
        return {WICK_TAG_FLOATS, static_cast<uint32_t>(list.size()), {.floats = list.data()}};
    }
    wick_value list(int depth) {
        std::vector<wick_value> items;
        for (uint32_t n = c_.below(4); n > 0; n--) items.push_back(anything(depth));
        return keep(std::move(items));
    }
    wick_value tensors() {
        std::vector<wick_value> items;
        for (uint32_t n = c_.below(4); n > 0; n--) items.push_back(object(pool_.of(c_, WICK_TAG_TENSOR)));
        return keep(std::move(items));
    }
    wick_value keep(std::vector<wick_value> items) {
        std::vector<wick_value> &kept = lists_.emplace_back(std::move(items));
        return {WICK_TAG_VALUES, static_cast<uint32_t>(kept.size()), {.values = kept.data()}};
    }
    wick_value of_type(const std::string &type, bool is_list) {
        if (is_list)
            return type.starts_with("int")      ? ints()
                   : type.starts_with("Tensor") ? tensors()
                   : type.starts_with("float")  ? floats()
                                                : list(1);
        if (type.starts_with("Tensor")) return object(pool_.of(c_, WICK_TAG_TENSOR));
        if (type.starts_with("Scalar")) return number(c_.below(2) ? WICK_TAG_INT : WICK_TAG_FLOAT);
        if (type.starts_with("int"))
            return c_.below(3) ? wick_value{WICK_TAG_INT, 0, {.i = c_.below(5)}} : number(WICK_TAG_INT);
        if (type.starts_with("float")) return number(WICK_TAG_FLOAT);
        if (type.starts_with("bool")) return number(WICK_TAG_BOOL);
        if (type.starts_with("str")) return string();
        if (type.starts_with("dtype")) return number(WICK_TAG_DTYPE);
        if (type.starts_with("Module")) return object(pool_.of(c_, WICK_TAG_MODULE));
        return anything(2);
    }

    Choices &c_;
    const Pool &pool_;
    std::deque<std::vector<int64_t>> ints_; // references stay valid as they grow
    std::deque<std::vector<double>> floats_;
    std::deque<std::vector<wick_value>> lists_;
};

// ---- one call ----

/// A refusal must say so in full.
void check_error(int32_t status) {
    wick_error *e = wick_error_take();
    if (status == WICK_OK) {
        REQUIRE(!e);
        return;
    }
    REQUIRE(e && wick_error_status(e) == status && status != WICK_E_INTERNAL);
    REQUIRE(*wick_error_kind(e) && *wick_error_message(e));
    wick_error_free(e);
}

bool small(const wick_object *t) {
    int64_t sizes[64], total = 1;
    uint32_t n = 0;
    REQUIRE(wick_tensor_sizes(t, 64, sizes, &n) == WICK_OK);
    for (uint32_t i = 0; i < n; i++)
        if (__builtin_mul_overflow(total, sizes[i], &total)) return false;
    return total <= 4096;
}

constexpr uint32_t MOST_RESULTS = 8;

/// Runs call(results, count). Results of one that succeeded go to the pool, those of one that failed must be as they
/// were.
template <class F> void settle(Pool &pool, F call) {
    wick_value results[MOST_RESULTS];
    for (wick_value &r : results) r = wick_v_unset();
    uint32_t count = MOST_RESULTS;
    int32_t status = call(results, &count);
    check_error(status);
    REQUIRE(count <= MOST_RESULTS);
    for (uint32_t i = 0; i < MOST_RESULTS; i++) {
        REQUIRE((status == WICK_OK && i < count) || results[i].tag == WICK_TAG_UNSET);
        bool keep = results[i].tag == WICK_TAG_MODULE || results[i].tag == WICK_TAG_OPTIMIZER ||
                    (results[i].tag == WICK_TAG_TENSOR && small(results[i].u.o));
        if (keep)
            pool.keep(results[i].u.o);
        else if (results[i].tag != WICK_TAG_UNSET)
            wick_value_clear(&results[i]);
    }
}

/// Ops on files would do what they are told, and what is set for the process would outlive the input.
bool allowed(const wick_op *op) {
    std::string name = wick_op_name(op);
    return !name.starts_with("io::") && !name.starts_with("set_") && name != "manual_seed";
}

void call_op(Choices &c, Pool &pool) {
    wick_op *op = wick_op_at(c.below(wick_op_count()));
    if (!allowed(op)) return;
    Arguments arguments(c, pool);
    for (uint32_t i = 0, n = wick_op_arg_count(op); i < n; i++) arguments.add(op, i);
    auto n = static_cast<uint32_t>(arguments.values.size());
    wick_op *group = nullptr; // of what shares its name, sometimes
    std::string base = wick_op_name(op);
    if (c.below(4) == 0 && wick_op_find(base.substr(0, base.find('.')).c_str(), &group) == WICK_OK) op = group;
    settle(pool, [&](wick_value *results, uint32_t *count) {
        return wick_op_call(op, arguments.values.data(), n, nullptr, 0, results, count, nullptr);
    });
}

void make_object(Choices &c, Pool &pool) {
    const char *family = c.below(4) ? "nn" : "optim";
    wick_class *cls = wick_class_at(family, c.below(wick_class_count(family)));
    wick_op *constructor = wick_class_constructor(cls);
    Arguments arguments(c, pool);
    for (uint32_t i = 0, n = wick_op_arg_count(constructor); i < n; i++) arguments.add(constructor, i);
    wick_object *made = nullptr;
    int32_t status = wick_class_new(cls, arguments.values.data(), static_cast<uint32_t>(arguments.values.size()),
                                    nullptr, 0, &made, nullptr);
    check_error(status);
    REQUIRE((status == WICK_OK) == (made != nullptr));
    if (made) pool.keep(made);
}

void call_method(Choices &c, Pool &pool) {
    wick_object *o = pool.of(c, c.below(4) ? WICK_TAG_MODULE : WICK_TAG_OPTIMIZER);
    uint32_t methods = wick_object_method_count(o);
    if (methods == 0) return;
    wick_op *method = wick_object_method(o, c.below(methods));
    Arguments arguments(c, pool);
    for (uint32_t i = 0, n = wick_op_arg_count(method); i < n; i++) arguments.add(method, i);
    auto n = static_cast<uint32_t>(arguments.values.size());
    settle(pool, [&](wick_value *results, uint32_t *count) {
        return wick_object_call(o, wick_op_name(method), arguments.values.data(), n, nullptr, 0, results, count,
                                nullptr);
    });
}

void use_tensor(Choices &c, Pool &pool) {
    wick_object *t = pool.of(c, WICK_TAG_TENSOR), *other = nullptr;
    switch (c.below(5)) {
    case 0: return check_error(wick_tensor_set_requires_grad(t, 1));
    case 1: return check_error(wick_backward(&t, nullptr, 1, c.below(4), nullptr));
    case 2: check_error(wick_tensor_grad(t, &other)); break;
    case 3: check_error(wick_tensor_string(t, 1, &other)); break;
    default: check_error(wick_tensor_detach(t, &other));
    }
    if (other) pool.keep(other);
}
} // namespace

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
    wick_hooks hooks{sizeof hooks, 0, nullptr, allocate, deallocate, nullptr};
    REQUIRE(wick_set_hooks(&hooks) == WICK_OK);
    REQUIRE(wick_set_threads(1) == WICK_OK);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Choices c(data, size);
    Pool pool;
    for (int calls = 0; calls < 24 && c.left(); calls++) switch (c.below(8)) {
        case 0: make_object(c, pool); break;
        case 1: call_method(c, pool); break;
        case 2: use_tensor(c, pool); break;
        default: call_op(c, pool);
        }
    return 0;
}
