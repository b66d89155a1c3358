/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/device.h"
#include "support/oom.h"
#include "support/tensors.h"

static THTensor *const untouched = (THTensor *)0x1234;
static fake_state fake, other;

static int fake_setup(void **state) {
    (void)state;
    return fake_open(&fake) != TH_OK;
}

/* Between tests: nothing is left on the device. */
static int all_free(void **state) {
    (void)state;
    if (fake.in_use[0] || fake.in_use[1] || fake.allocations != fake.frees) {
        print_error("%lld and %lld bytes are left on the devices\n", (long long)fake.in_use[0],
                    (long long)fake.in_use[1]);
        return 1;
    }
    return 0;
}

/* [0, 1, 2, ...] in sizes, on a device. */
static THTensor *counting(THDtype dtype, const int64_t *sizes, int32_t ndim, THDevice device) {
    const THScalar zero = {TH_SCALAR_INT, 0, {0}}, one = {TH_SCALAR_INT, 0, {1}};
    THScalar end = {TH_SCALAR_INT, 0, {1}};
    for (int32_t i = 0; i < ndim; i++) end.v.i *= sizes[i];
    THTensor *flat = NULL, *t = NULL, *there = NULL;
    assert_ok(TH_arange(&flat, &zero, &end, &one, dtype));
    assert_ok(THTensor_reshape(&t, flat, sizes, ndim));
    assert_ok(THTensor_to_device(&there, t, device));
    THTensor_free(flat);
    THTensor_free(t);
    return there;
}

static double value_at(const THTensor *t, int64_t i, int64_t j) {
    THScalar s;
    const int64_t index[2] = {i, j};
    assert_ok(THTensor_get(&s, t, index));
    return s.kind == TH_SCALAR_FLOAT ? s.v.d : (double)s.v.i;
}

static void assert_text(const THTensor *t, const char *want) {
    char text[100];
    assert_int_equal(THTensor_describe(t, text, sizeof text), strlen(want));
    assert_string_equal(text, want);
}

/* ---- the registry ---- */

static void test_register_fails(void **state) {
    (void)state;
    THDeviceLibrary good = fake_library(&fake), l = good;
    assert_ok(TH_device_register(&good)); /* the same again */
    assert_fails(TH_E_ARG, "TH_device_register: library is NULL", TH_device_register(NULL));
    l.struct_size -= 8;
    assert_fails(TH_E_ABI, "TH_device_register: got struct_size", TH_device_register(&l));
    l = good, l.type = 0;
    assert_fails(TH_E_ARG, "got type 0, want 1 to 31", TH_device_register(&l));
    l = good, l.type = TH_DEVICE_TYPES;
    assert_fails(TH_E_ARG, "got type 32, want 1 to 31", TH_device_register(&l));
    static const char *const names[] = {NULL, "", "Fake", "fa:ke", "cpu", "a_name_of_thirty_two_characters__"};
    for (int i = 0; i < 6; i++) {
        l = good, l.name = names[i], l.type = 12;
        assert_fails(TH_E_ARG, "want lower-case letters, digits and _", TH_device_register(&l));
    }
    l = good, l.copy_tensor = NULL;
    assert_fails(TH_E_ARG, "got NULL for the prefix or a function", TH_device_register(&l));
    l = good, l.user = &other;
    assert_fails(TH_E_ARG, "got \"fake\" of type 11, but \"fake\" of type 11 is registered", TH_device_register(&l));
    l = good, l.type = 12;
    assert_fails(TH_E_ARG, "got \"fake\" of type 12, but \"fake\" of type 11 is registered", TH_device_register(&l));
    l = good, l.name = "more";
    assert_fails(TH_E_ARG, "got \"more\" of type 11, but \"fake\" of type 11", TH_device_register(&l));
    assert_int_equal(TH_device_count(12), 0);
    assert_null(TH_device_library(12));
}

static void test_library(void **state) {
    (void)state;
    assert_string_equal(TH_device_library(FAKE_TYPE)->prefix, "FAKE");
    assert_string_equal(TH_device_library(FAKE_TYPE)->nn_prefix, "FAKENN");
    assert_null(TH_device_library(TH_CPU));
    assert_null(TH_device_library(-1));
    assert_null(TH_device_library(TH_DEVICE_TYPES));
    assert_int_equal(TH_device_count(FAKE_TYPE), 2);
    assert_int_equal(TH_device_count(TH_CPU), 1);
    assert_int_equal(TH_device_count(-1) + TH_device_count(1) + TH_device_count(TH_DEVICE_TYPES), 0);
}

static void test_find(void **state) {
    (void)state;
    THDevice d = 77;
    assert_ok(TH_device_find(&d, "fake:1"));
    assert_true(d == FAKE(1));
    assert_ok(TH_device_find(&d, "cpu:0"));
    assert_true(d == TH_CPU);
    assert_ok(TH_device_find(&d, "fake"));
    assert_true(d == FAKE(0));
    assert_ok(TH_device_find(&d, "cpu"));
    assert_true(d == TH_CPU);
    assert_fails(TH_E_NOTFOUND, "got \"fak\", want \"cpu\" or a device whose library is there",
                 TH_device_find(&d, "fak"));
    assert_fails(TH_E_NOTFOUND, "got \"fake1:0\"", TH_device_find(&d, "fake1:0"));
    assert_fails(TH_E_NOTFOUND, "got \"\"", TH_device_find(&d, ""));
    assert_fails(TH_E_DEVICE, "got fake:2, want one of 2 fake device(s)", TH_device_find(&d, "fake:2"));
    assert_fails(TH_E_DEVICE, "want the only CPU", TH_device_find(&d, "cpu:1"));
    static const char *const bad[] = {"fake:", "fake:-1", "fake:1x", "fake: 1", "fake:12345678901", "cpu:x", "cpu:1:0"};
    for (int i = 0; i < 7; i++) assert_fails(TH_E_ARG, "want a name such as", TH_device_find(&d, bad[i]));
    assert_fails(TH_E_ARG, "name is NULL", TH_device_find(&d, NULL));
    assert_fails(TH_E_ARG, "out is NULL", TH_device_find(NULL, "cpu"));
    assert_true(d == TH_CPU);
}

static void test_describe(void **state) {
    (void)state;
    char text[20];
    assert_int_equal(TH_device_describe(FAKE(1), text, sizeof text), 6);
    assert_string_equal(text, "fake:1");
    assert_int_equal(TH_device_describe(TH_CPU, text, sizeof text), 3);
    assert_string_equal(text, "cpu");
    assert_int_equal(TH_device_describe((THDevice)7 << 32 | 3, text, sizeof text), 10);
    assert_string_equal(text, "device 7:3");
    assert_int_equal(TH_device_describe(FAKE(1), text, 4), 6);
    assert_string_equal(text, "fak");
    assert_int_equal(TH_device_describe(FAKE(1), NULL, 0), 6);
}

static void test_select(void **state) {
    (void)state;
    THDevice before = 77;
    assert_ok(TH_device_select(FAKE(1), &before));
    assert_true(before == FAKE(0) && fake.current == 1);
    THDevice d = 0;
    assert_ok(TH_device_find(&d, "fake"));
    assert_true(d == FAKE(1));
    assert_ok(TH_device_select(FAKE(0), NULL));
    assert_ok(TH_device_select(TH_CPU, &before));
    assert_true(before == TH_CPU);
    assert_fails(TH_E_DEVICE, "TH_device_select: got fake:2", TH_device_select(FAKE(2), &before));
    assert_fails(TH_E_DEVICE, "TH_device_select: got device 7:0, want a device whose library is there",
                 TH_device_select((THDevice)7 << 32, &before));
    assert_true(before == TH_CPU && fake.current == 0);
    fake.waits = 0;
    assert_ok(TH_device_synchronize(TH_CPU));
    assert_ok(TH_device_synchronize(FAKE(1)));
    assert_int_equal(fake.waits, 1);
    assert_fails(TH_E_DEVICE, "TH_device_synchronize: got fake:2", TH_device_synchronize(FAKE(2)));
}

/* ---- memory ---- */

static void test_storage(void **state) {
    (void)state;
    THStorage *s = NULL;
    assert_ok(THStorage_new_on(&s, 1000, FAKE(1)));
    assert_true(THStorage_device(s) == FAKE(1));
    assert_int_equal(THStorage_nbytes(s), 1000);
    assert_int_equal(fake.in_use[1], 1000);
    assert_true(fake_owns(&fake, THStorage_data(s), 1000, 1));
    THStorage_free(THStorage_retain(s));
    assert_int_equal(fake.in_use[1], 1000);
    THStorage_free(s);
    assert_int_equal(fake.in_use[1], 0);
    int32_t allocations = fake.allocations;
    assert_ok(THStorage_new_on(&s, 0, FAKE(0)));
    assert_null(THStorage_data(s));
    THStorage_free(s);
    assert_int_equal(fake.allocations, allocations); /* nothing for nothing */
    assert_ok(THStorage_new_on(&s, 10, TH_CPU));
    assert_true(THStorage_device(s) == TH_CPU);
    THStorage_free(s);
    s = (THStorage *)untouched;
    assert_fails(TH_E_ARG, "THStorage_new_on: got -1 bytes", THStorage_new_on(&s, -1, FAKE(0)));
    assert_fails(TH_E_ARG, "out is NULL", THStorage_new_on(NULL, 1, FAKE(0)));
    assert_fails(TH_E_DEVICE, "THStorage_new_on: got fake:2, want one of 2", THStorage_new_on(&s, 1, FAKE(2)));
    assert_fails(TH_E_DEVICE, "got device 3:0, want a device", THStorage_new_on(&s, 1, (THDevice)3 << 32));
    assert_fails(TH_E_DEVICE, "got device 0:1, want a device", THStorage_new_on(&s, 1, 1));
    assert_ptr_equal(s, untouched);
}

static void test_room(void **state) {
    (void)state;
    fake.room = 1000;
    THTensor *a = NULL, *b = untouched;
    assert_ok(THTensor_new_on(&a, TH_FLOAT64, LIST(100), FAKE(0)));
    assert_fails(TH_E_MEMORY, "fake: got 208 bytes, want fewer", THTensor_new_on(&b, TH_FLOAT64, LIST(26), FAKE(0)));
    assert_fails(TH_E_MEMORY, "fake: got 800 bytes, want fewer", THTensor_clone(&b, a));
    assert_fails(TH_E_MEMORY, "fake: got 400 bytes, want fewer", THTensor_to(&b, a, TH_FLOAT32));
    assert_ptr_equal(b, untouched);
    THTensor_free(a);
    fake.room = FAKE_ARENA;
}

static void round_trip(void *arg) {
    (void)arg;
    THTensor *x = NULL, *there = NULL, *cast = NULL, *column = NULL, *back = NULL;
    THStatus status = THTensor_new(&x, TH_FLOAT32, LIST(3, 4));
    if (status == TH_OK) status = THTensor_to_device(&there, x, FAKE(0));
    if (status == TH_OK) status = THTensor_to(&cast, there, TH_INT32);
    if (status == TH_OK) status = THTensor_transpose(&column, cast, 0, 1);
    if (status == TH_OK) status = THTensor_to_device(&back, column, FAKE(1));
    if (status == TH_OK) status = THTensor_copy(column, back);
    assert_true(status == TH_OK || status == TH_E_MEMORY);
    THTensor_free(x);
    THTensor_free(there);
    THTensor_free(cast);
    THTensor_free(column);
    THTensor_free(back);
    assert_int_equal(fake.in_use[0] + fake.in_use[1], 0);
}

static void test_host_memory_runs_out(void **state) {
    (void)state;
    oom_each(round_trip, NULL);
}

/* ---- tensors ---- */

static void test_new_on(void **state) {
    (void)state;
    THTensor *t = NULL;
    assert_ok(THTensor_new_on(&t, TH_FLOAT32, LIST(2, 3), FAKE(1)));
    assert_true(THTensor_device(t) == FAKE(1));
    assert_text(t, "float32[2, 3] on fake:1");
    assert_int_equal(fake.in_use[1], 24);
    THTensor *v = NULL;
    assert_ok(THTensor_select(&v, t, 0, 1));
    THTensor_free(t);
    assert_int_equal(fake.in_use[1], 24); /* the view keeps it */
    assert_true(THTensor_device(v) == FAKE(1));
    THTensor_free(v);
    t = untouched;
    assert_fails(TH_E_SHAPE, "THTensor_new_on: got sizes [-1]", THTensor_new_on(&t, TH_FLOAT32, LIST(-1), FAKE(1)));
    assert_fails(TH_E_TYPE, "THTensor_new_on: got code 99", THTensor_new_on(&t, 99, LIST(1), FAKE(1)));
    assert_fails(TH_E_DEVICE, "got fake:9", THTensor_new_on(&t, TH_FLOAT32, LIST(1), FAKE(9)));
    assert_ptr_equal(t, untouched);
}

static void test_to_device(void **state) {
    (void)state;
    static const THDevice places[] = {TH_CPU, FAKE(0), FAKE(1)};
    for (THDtype dtype = TH_UINT8; dtype < TH_DTYPE_COUNT; dtype++)
        for (int from = 0; from < 3; from++)
            for (int to = 0; to < 3; to++) {
                THTensor *x = counting(dtype, LIST(3, 4), places[from]), *column = NULL, *y = NULL, *z = NULL;
                assert_true(THTensor_device(x) == places[from]);
                assert_ok(THTensor_to_device(&y, x, places[to]));
                assert_int_equal(y == x, from == to);
                assert_true(THTensor_device(y) == places[to]);
                assert_int_equal(THTensor_dtype(y), dtype);
                assert_true(value_at(y, 2, 1) == 9);
                assert_ok(THTensor_transpose(&column, x, 0, 1)); /* strided */
                assert_ok(THTensor_to_device(&z, column, places[to]));
                assert_true(value_at(z, 1, 2) == 9 && value_at(z, 3, 0) == 3);
                assert_int_equal(THTensor_is_contiguous(z), from != to);
                THTensor_free(x);
                THTensor_free(y);
                THTensor_free(z);
                THTensor_free(column);
            }
    THTensor *t = untouched, *x = counting(TH_FLOAT32, LIST(2), FAKE(0));
    assert_fails(TH_E_DEVICE, "THTensor_to_device: got fake:2", THTensor_to_device(&t, x, FAKE(2)));
    assert_fails(TH_E_ARG, "t is NULL", THTensor_to_device(&t, NULL, TH_CPU));
    assert_fails(TH_E_ARG, "out is NULL", THTensor_to_device(NULL, x, TH_CPU));
    fake.fail = TH_E_INTERNAL;
    assert_fails(TH_E_INTERNAL, "fake: a failure was asked for", THTensor_to_device(&t, x, TH_CPU));
    assert_ptr_equal(t, untouched);
    THTensor_free(x);
}

static void test_numbers_move(void **state) {
    (void)state;
    const THScalar half = {TH_SCALAR_FLOAT, 0, {.d = 0.5}};
    THTensor *n = NULL, *there = NULL, *here = NULL;
    assert_ok(THTensor_new_scalar(&n, &half));
    assert_ok(THTensor_to_device(&there, n, FAKE(0)));
    assert_int_equal(THTensor_is_number(there), 0);
    assert_text(there, "float64[] on fake:0");
    assert_ok(THTensor_to_device(&here, n, TH_CPU)); /* an ordinary tensor there too */
    assert_int_equal(THTensor_is_number(here), 0);
    THScalar s;
    assert_ok(THTensor_item(&s, there));
    assert_true(s.v.d == 0.5);
    THTensor_free(n);
    THTensor_free(there);
    THTensor_free(here);
}

static void test_empty(void **state) {
    (void)state;
    THTensor *x = NULL, *y = NULL, *z = NULL;
    assert_ok(THTensor_new(&x, TH_FLOAT32, LIST(2, 0)));
    assert_ok(THTensor_to_device(&y, x, FAKE(0)));
    assert_text(y, "float32[2, 0] on fake:0");
    assert_ok(THTensor_clone(&z, y));
    assert_ok(THTensor_copy(z, x));
    assert_ok(THTensor_copy(x, z));
    assert_int_equal(fake.in_use[0], 0);
    THTensor_free(x);
    THTensor_free(y);
    THTensor_free(z);
}

/* Every way between two places, casting, broadcasting, into a strided window, and the rest of it untouched. */
static void test_copy(void **state) {
    (void)state;
    static const THDevice places[] = {TH_CPU, FAKE(0), FAKE(1)};
    for (int from = 0; from < 3; from++)
        for (int to = 0; to < 3; to++) {
            THTensor *src = counting(TH_INT16, LIST(3), places[from]),
                     *base = counting(TH_FLOAT32, LIST(4, 4), places[to]), *dst = NULL;
            assert_ok(THTensor_narrow(&dst, base, 1, 1, 3));
            const uint64_t version = THStorage_version(THTensor_storage(base));
            assert_ok(THTensor_copy(dst, src));
            assert_int_equal(THStorage_version(THTensor_storage(base)), version + 1);
            for (int64_t i = 0; i < 4; i++) {
                assert_true(value_at(base, i, 0) == 4 * (double)i);
                for (int64_t j = 0; j < 3; j++) assert_true(value_at(base, i, j + 1) == (double)j);
            }
            fake.fail = TH_E_INTERNAL;
            if (from || to) assert_fails(TH_E_INTERNAL, "fake: a failure", THTensor_copy(dst, src));
            fake.fail = TH_OK;
            THTensor_free(src);
            THTensor_free(base);
            THTensor_free(dst);
        }
}

static void test_copy_fails(void **state) {
    (void)state;
    THTensor *x = counting(TH_FLOAT32, LIST(2, 3), FAKE(0)), *wide = counting(TH_FLOAT32, LIST(4), TH_CPU),
             *stretched = NULL, *lower = NULL, *upper = NULL, *lost = NULL;
    assert_fails(TH_E_SHAPE, "THTensor_copy: got src float32[4], want sizes that broadcast", THTensor_copy(x, wide));
    assert_fails(TH_E_ARG, "src is NULL", THTensor_copy(x, NULL));
    assert_fails(TH_E_ARG, "dst is NULL", THTensor_copy(NULL, x));
    assert_ok(THTensor_narrow(&upper, x, 1, 0, 2));
    assert_ok(THTensor_narrow(&lower, x, 1, 1, 2));
    assert_fails(TH_E_ARG, "shares memory with an input", THTensor_copy(upper, lower));
    assert_ok(THTensor_expand(&stretched, lower, LIST(2, 2, 2)));
    assert_fails(TH_E_ARG, "whose elements share memory", THTensor_copy(stretched, lower));
    THStorage *s = NULL; /* memory that an unknown library lent, through DLPack say */
    assert_ok(THStorage_new_foreign(&s, (void *)0x1000, 24, (THDevice)7 << 32, 0, NULL, NULL));
    assert_ok(THTensor_new_over(&lost, s, TH_FLOAT32, (const int64_t[]){2, 3}, NULL, 2, 0));
    THStorage_free(s);
    assert_fails(TH_E_DEVICE, "got device 7:0, want a device whose library is there", THTensor_copy(x, lost));
    assert_fails(TH_E_DEVICE, "got device 7:0, want a device whose library is there", THTensor_copy(lost, x));
    THScalar item;
    const int64_t origin[2] = {0, 0};
    assert_fails(TH_E_DEVICE, "THTensor_get: got device 7:0", THTensor_get(&item, lost, origin));
    THTensor *out = untouched;
    assert_fails(TH_E_DEVICE, "THTensor_clone: got device 7:0", THTensor_clone(&out, lost));
    assert_ptr_equal(out, untouched);
    THTensor_free(x);
    THTensor_free(wide);
    THTensor_free(upper);
    THTensor_free(lower);
    THTensor_free(stretched);
    THTensor_free(lost);
}

static void test_structure(void **state) {
    (void)state;
    THTensor *x = counting(TH_FLOAT32, LIST(2, 3), FAKE(1)), *column = NULL, *y = NULL, *z = NULL, *flat = NULL;
    fake.copies = fake.tensor_copies = 0;
    assert_ok(THTensor_contiguous(&y, x));
    assert_ptr_equal(y, x);
    THTensor_free(y);
    assert_ok(THTensor_transpose(&column, x, 0, 1));
    assert_ok(THTensor_contiguous(&y, column));
    assert_text(y, "float32[3, 2] on fake:1");
    assert_ok(THTensor_to(&z, y, TH_UINT8));
    assert_text(z, "uint8[3, 2] on fake:1");
    assert_ok(THTensor_reshape(&flat, column, LIST(6, 1))); /* a copy */
    assert_int_equal(fake.tensor_copies, 3);
    assert_int_equal(fake.copies, 0); /* nothing went through the CPU */
    assert_true(value_at(y, 2, 1) == 5 && value_at(z, 2, 1) == 5 && value_at(flat, 1, 0) == 3);
    THTensor_free(x);
    THTensor_free(column);
    THTensor_free(y);
    THTensor_free(z);
    THTensor_free(flat);
}

static void test_elements(void **state) {
    (void)state;
    for (THDtype dtype = TH_UINT8; dtype < TH_DTYPE_COUNT; dtype++) {
        THTensor *x = counting(dtype, LIST(2, 3), FAKE(0)), *one = NULL;
        const int64_t at[2] = {1, -1};
        const THScalar value = {TH_SCALAR_INT, 0, {.i = 42}};
        const uint64_t version = THStorage_version(THTensor_storage(x));
        assert_ok(THTensor_set(x, at, &value));
        assert_int_equal(THStorage_version(THTensor_storage(x)), version + 1);
        assert_true(value_at(x, 1, 2) == 42 && value_at(x, 1, 1) == 4);
        assert_ok(THTensor_as_strided(&one, x, NULL, (const int64_t[]){0}, 0, 5));
        THScalar s;
        assert_ok(THTensor_item(&s, one));
        assert_true((s.kind == TH_SCALAR_FLOAT ? s.v.d : (double)s.v.i) == 42);
        fake.fail = TH_E_INTERNAL;
        assert_fails(TH_E_INTERNAL, "fake: a failure", THTensor_item(&s, one));
        fake.fail = TH_E_INTERNAL;
        assert_fails(TH_E_INTERNAL, "fake: a failure", THTensor_set(x, at, &value));
        assert_int_equal(THStorage_version(THTensor_storage(x)), version + 1);
        THTensor_free(x);
        THTensor_free(one);
    }
}

/* ---- TH's ops serve the CPU alone ---- */

static void test_ops_refuse(void **state) {
    (void)state;
    THTensor *x = counting(TH_FLOAT32, LIST(2, 2), FAKE(0)), *y = counting(TH_FLOAT32, LIST(2, 2), TH_CPU),
             *i = counting(TH_INT64, LIST(2), FAKE(0)), *out = NULL;
    const THScalar one = {TH_SCALAR_INT, 0, {.i = 1}};
    const THTensor *pair[2] = {y, x};
#define REFUSES(call) assert_fails(TH_E_DEVICE, "on fake:0, want the CPU", call)
#define TH_UNARY(name, ...) REFUSES(TH_##name(&out, x));
#include "TH/ops/unary.def"
#undef TH_UNARY
#define TH_BINARY(name, ...)                                                                                           \
    REFUSES(TH_##name(&out, x, y));                                                                                    \
    REFUSES(TH_##name(&out, y, x));
#include "TH/ops/binary.def"
#undef TH_BINARY
#define TH_REDUCE(name, ...) REFUSES(TH_##name(&out, x, NULL, 0, 0));
#include "TH/ops/reduce.def"
#undef TH_REDUCE
    REFUSES(TH_add(&out, x, y, NULL));
    REFUSES(TH_sub(&out, y, x, NULL));
    REFUSES(TH_where(&out, x, y, y));
    REFUSES(TH_clamp(&out, x, y, NULL));
    REFUSES(TH_clamp(&out, y, x, NULL));
    REFUSES(TH_addcmul(&out, y, y, x, NULL));
    REFUSES(TH_addcdiv(&out, x, y, y, NULL));
    REFUSES(TH_lerp(&out, y, y, x));
    REFUSES(TH_fill(x, &one));
    REFUSES(TH_uniform(x, 0, 1, NULL));
    REFUSES(TH_normal(x, 0, 1, NULL));
    REFUSES(TH_bernoulli(x, 0.5, NULL));
    REFUSES(TH_randint(x, 0, 2, NULL));
    REFUSES(TH_randperm(&i, 2, NULL));
    REFUSES(TH_var(&out, x, NULL, 0, 0, 1));
    REFUSES(TH_argmax(&out, x, 0, 0));
    REFUSES(TH_argmin(&out, x, 0, 0));
    REFUSES(TH_index_select(&out, x, 0, i));
    REFUSES(TH_index_select(&out, y, 0, i));
    REFUSES(TH_index_add(&out, y, 0, i, y));
    REFUSES(TH_gather(&out, x, 0, i));
    REFUSES(TH_scatter(&out, x, 0, i, y));
    REFUSES(TH_scatter_add(&out, y, 0, i, y));
    REFUSES(TH_cat(&out, pair, 2, 0));
    REFUSES(TH_stack(&out, pair, 2, 0));
    REFUSES(TH_mm(&out, x, y));
    REFUSES(TH_mm(&out, y, x));
    REFUSES(TH_bmm(&out, x, y));
    REFUSES(TH_matmul(&out, y, x));
    REFUSES(TH_mv(&out, x, y));
    REFUSES(TH_dot(&out, x, y));
    REFUSES(TH_addmm(&out, x, y, y, NULL, NULL));
    REFUSES(TH_addmm(&out, y, y, x, NULL, NULL));
    assert_null(out);
    out = x;
    REFUSES(TH_exp(&out, y));
    REFUSES(TH_add(&out, y, y, NULL));
    THTensor_free(x);
    THTensor_free(y);
    THTensor_free(i);
}

/* What a device library checks its arguments with. */
static void test_checks_of_a_library(void **state) {
    (void)state;
    const THScalar half = {TH_SCALAR_FLOAT, 0, {.d = 0.5}};
    THTensor *x = counting(TH_FLOAT32, LIST(2), FAKE(0)), *y = counting(TH_FLOAT32, LIST(2), TH_CPU), *number = NULL,
             *z = NULL, *result = untouched, *out = NULL;
    assert_ok(THTensor_new_scalar(&number, &half));
    assert_ok(THTensor_select(&z, y, 0, 0));
    assert_ok(TH_check_input_on("FAKE_f", "x", x, FAKE(0)));
    assert_ok(TH_check_input_on("FAKE_f", "x", number, FAKE(0)));
    assert_ok(TH_check_input_on("FAKE_f", "x", z, FAKE(0))); /* 0-dim, as PyTorch */
    assert_fails(TH_E_DEVICE, "FAKE_f: got x on cpu, want fake:0", TH_check_input_on("FAKE_f", "x", y, FAKE(0)));
    assert_fails(TH_E_DEVICE, "FAKE_f: got x on fake:0, want fake:1", TH_check_input_on("FAKE_f", "x", x, FAKE(1)));
    assert_fails(TH_E_ARG, "FAKE_f: x is NULL", TH_check_input_on("FAKE_f", "x", NULL, FAKE(0)));
    assert_ok(TH_output_begin_on(&result, "FAKE_f", &out, TH_INT64, LIST(3), 1, 0, NULL, 0, FAKE(1)));
    assert_text(result, "int64[3] on fake:1");
    assert_ok(TH_output_end(result, &out, TH_OK));
    assert_ok(TH_output_begin_on(&result, "FAKE_f", &out, TH_INT64, LIST(3), 1, 0, NULL, 0, FAKE(1)));
    assert_ptr_equal(result, out);
    assert_ok(TH_output_end(result, &out, TH_OK));
    assert_fails(TH_E_DEVICE, "FAKE_f: got out on fake:1, want fake:0",
                 TH_output_begin_on(&result, "FAKE_f", &out, TH_INT64, LIST(3), 1, 0, NULL, 0, FAKE(0)));
    assert_fails(TH_E_DEVICE, "FAKE_f: got out on cpu, want fake:0",
                 TH_output_begin_on(&result, "FAKE_f", &y, TH_FLOAT32, LIST(2), 1, 0, NULL, 0, FAKE(0)));
    THTensor_free(out);
    THTensor_free(x);
    THTensor_free(y);
    THTensor_free(z);
    THTensor_free(number);
}

int main(void) {
    oom_install();
#define TEST(f) cmocka_unit_test_teardown(f, all_free)
    const struct CMUnitTest tests[] = {
        TEST(test_register_fails), TEST(test_library),
        TEST(test_find),           TEST(test_describe),
        TEST(test_select),         TEST(test_storage),
        TEST(test_room),           TEST(test_host_memory_runs_out),
        TEST(test_new_on),         TEST(test_to_device),
        TEST(test_numbers_move),   TEST(test_empty),
        TEST(test_copy),           TEST(test_copy_fails),
        TEST(test_structure),      TEST(test_elements),
        TEST(test_ops_refuse),     TEST(test_checks_of_a_library),
    };
    return cmocka_run_group_tests_name("device", tests, fake_setup, NULL);
}
