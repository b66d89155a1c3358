/* SPDX-License-Identifier: BSD-3-Clause */
/* Random fills: the Philox authors' known answers, a second implementation for every element, and statistics. */
#include "support/check.h"
#include "support/oom.h"
#include "support/tensors.h"

#include "../../lib/expr/template.h"

#include "../../lib/expr/philox.inc"

/* ---- Philox ---- */

/* Random123's kat_vectors. */
static void test_known_answers(void **state) {
    (void)state;
    static const uint32_t rows[][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09, 0x94fdcceb, 0x5001e420,
         0x24126ea1},
    };
    for (int i = 0; i < 3; i++) {
        uint32_t c[4];
        memcpy(c, rows[i], sizeof c);
        th_philox(&c[0], &c[1], &c[2], &c[3], rows[i][4], rows[i][5]);
        assert_memory_equal(c, rows[i] + 6, sizeof c);
    }
}

/* The paper's definition with the words as arrays. */
static void philox(uint32_t out[4], uint64_t block, uint32_t attempt, uint64_t seed) {
    uint32_t x[4] = {(uint32_t)block, (uint32_t)(block >> 32), attempt, 0},
             k[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    for (int round = 0; round < 10; round++) {
        const uint64_t a = (uint64_t)x[0] * 0xD2511F53u, b = (uint64_t)x[2] * 0xCD9E8D57u;
        const uint32_t y[4] = {(uint32_t)(b >> 32) ^ x[1] ^ k[0], (uint32_t)b, (uint32_t)(a >> 32) ^ x[3] ^ k[1],
                               (uint32_t)a};
        memcpy(x, y, sizeof x);
        k[0] += 0x9E3779B9u, k[1] += 0xBB67AE85u;
    }
    memcpy(out, x, sizeof x);
}

/* Word i of the stream that begins at offset, in groups of 64. */
static uint32_t word(uint64_t seed, uint64_t offset, int64_t i) {
    uint32_t x[4];
    philox(x, offset + (uint64_t)(i / 64 * 16 + i % 16), 0, seed);
    return x[i % 64 / 16];
}

static uint64_t word64(uint64_t seed, uint64_t offset, int64_t i) {
    const int64_t low = i / 32 * 64 + i % 32;
    return (uint64_t)word(seed, offset, low + 32) << 32 | word(seed, offset, low);
}

static void set_position(THGenerator *g, uint64_t seed, uint64_t offset) {
    unsigned char state[TH_GENERATOR_STATE_BYTES];
    THGenerator_seed(g, seed);
    THGenerator_get_state(g, state);
    memcpy(state + 16, &offset, 8);
    assert_ok(THGenerator_set_state(g, state));
}

static uint64_t position(const THGenerator *g) {
    unsigned char state[TH_GENERATOR_STATE_BYTES];
    uint64_t offset;
    THGenerator_get_state(g, state);
    memcpy(&offset, state + 16, 8);
    return offset;
}

/* ---- every element against the second implementation ---- */

static const uint64_t seed_of_tests = UINT64_C(0xfedcba9876543210), offset_of_tests = UINT64_C(0x2fffffff0);

typedef struct expectation {
    THStatus (*fill)(THTensor *t, THGenerator *g);
    long double (*want)(THDtype dtype, uint64_t seed, uint64_t offset, int64_t i);
    double slack; /* absolute, before rounding */
    THDtype first, last;
} expectation;

static THStatus fill_uniform(THTensor *t, THGenerator *g) { return TH_uniform(t, 0, 1, g); }
static THStatus fill_normal(THTensor *t, THGenerator *g) { return TH_normal(t, 2, 0.5, g); }
static THStatus fill_bernoulli(THTensor *t, THGenerator *g) { return TH_bernoulli(t, 0.3, g); }
static THStatus fill_randint(THTensor *t, THGenerator *g) { return TH_randint(t, 3, 90, g); }

static long double unit64(uint64_t seed, uint64_t offset, int64_t i) {
    const uint64_t bits = word64(seed, offset, i);
    return ldexpl((long double)(bits >> 37), -27) + ldexpl((long double)((uint32_t)bits >> 6), -53);
}

static long double want_uniform(THDtype dtype, uint64_t seed, uint64_t offset, int64_t i) {
    if (dtype == TH_FLOAT64) return unit64(seed, offset, i);
    const long double u = (long double)(word(seed, offset, i) >> 8) * 0x1p-24L, r = round_to(dtype, u);
    return r < 1 ? r : 1 - ulp_of(dtype, 0.75L);
}

static long double want_normal(THDtype dtype, uint64_t seed, uint64_t offset, int64_t i) {
    const int64_t group = dtype == TH_FLOAT64 ? 32 : 64, half = group / 2, start = i / group * group, pair = i % half;
    long double radius, angle;
    if (dtype == TH_FLOAT64) {
        radius = unit64(seed, offset, start + pair) + 0x1p-53L;
        angle = unit64(seed, offset, start + half + pair);
    } else {
        radius = (long double)(word(seed, offset, start + pair) >> 1) * 0x1p-31L + 0x1p-32L;
        angle = (long double)(word(seed, offset, start + half + pair) >> 8) * 0x1p-24L;
    }
    angle *= 2 * acosl(-1);
    radius = sqrtl(-2 * logl(radius));
    return 2 + 0.5L * radius * (i % group < half ? cosl(angle) : sinl(angle));
}

static long double want_bernoulli(THDtype dtype, uint64_t seed, uint64_t offset, int64_t i) {
    (void)dtype;
    return word(seed, offset, i) < 1288490189u; /* 0.3 * 2^32 */
}

static long double want_randint(THDtype dtype, uint64_t seed, uint64_t offset, int64_t i) {
    (void)dtype; /* the top of a product of 64 by 7 bits; a rejection is as likely as 2^-57 */
    const uint64_t bits = word64(seed, offset, i);
    return 3 + (long double)(((bits >> 32) * 87 + ((bits & 0xffffffffu) * 87 >> 32)) >> 32);
}

static const expectation expectations[] = {
    {fill_uniform, want_uniform, 0, TH_FLOAT16, TH_FLOAT64},
    {fill_normal, want_normal, 4e-7, TH_FLOAT16, TH_FLOAT64},
    {fill_bernoulli, want_bernoulli, 0, TH_BOOL, TH_FLOAT64},
    {fill_randint, want_randint, 0, TH_UINT8, TH_FLOAT64},
};
enum { EXPECTATIONS = sizeof expectations / sizeof *expectations };

static void check_fill(const expectation *e, THDtype dtype, const int64_t *sizes, int32_t ndim, int layout) {
    THGenerator *g = NULL;
    THTensor *t = tensor_in_layout(dtype, sizes, ndim, layout);
    assert_ok(THGenerator_new(&g, 0));
    set_position(g, seed_of_tests, offset_of_tests);
    const uint64_t version = THStorage_version(THTensor_storage(t));
    assert_ok(e->fill(t, g));
    assert_true(THStorage_version(THTensor_storage(t)) > version);
    const int64_t n = THTensor_numel(t), step = n > 2000 ? 97 : 1;
    for (int64_t i = 0; i < n; i += step) {
        const long double want = e->want(dtype, seed_of_tests, offset_of_tests, i), got = element(t, i);
        const double slack = dtype == TH_FLOAT64 ? e->slack * 0x1p-28 : e->slack;
        if (fabsl(got - want) <= slack + (slack > 0 ? ulp_of(dtype, want) * 0.5L : 0)) continue;
        assert_element(t, i, want, 0);
    }
    assert_holes(t);
    const int wide = e->fill == fill_randint || (dtype == TH_FLOAT64 && e->fill != fill_bernoulli);
    const int64_t group = wide ? 32 : 64;
    assert_true(position(g) - offset_of_tests == (uint64_t)((n + group - 1) / group * 16));
    THTensor_free(t);
    THGenerator_free(g);
}

/* Views, gaps and transposed tensors get the values of contiguous ones, and nothing beside them is touched. */
static void test_elements(void **state) {
    (void)state;
    static const int64_t sizes[][3] = {{3, 5, 7}, {1, 64, 2}, {1, 1, 31}, {70, 1, 100}, {0, 3, 2}, {2, 300, 130}};
    for (int32_t isa = 0; isa < TH_isa_count(); isa++) {
        assert_ok(TH_set_isa(TH_isa_name(isa)));
        for (int e = 0; e < EXPECTATIONS; e++)
            for (THDtype dtype = expectations[e].first; dtype <= expectations[e].last; dtype++)
                for (int s = 0; s < 6; s++)
                    for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
                        if (s == 5 && (layout == LAYOUT_GAPS || isa || dtype < TH_FLOAT32)) continue;
                        assert_ok(TH_set_num_threads(1 + layout % 2));
                        check_fill(&expectations[e], dtype, sizes[s], 3, layout);
                    }
    }
    assert_ok(TH_set_isa(TH_isa_name(0)));
    check_fill(&expectations[0], TH_FLOAT32, NULL, 0, LAYOUT_CONTIGUOUS);
}

/* ---- bounds ---- */

static void check_bounds(THDtype dtype, double lo, double hi) {
    THTensor *t = tensor_empty(dtype, LIST(20000));
    THGenerator_seed(NULL, 9);
    assert_ok(TH_uniform(t, lo, hi, NULL));
    for (int64_t i = 0; i < 20000; i++)
        if (!(element(t, i) >= lo && element(t, i) < hi))
            fail_msg("%s: %.17g is not in [%.17g, %.17g)", TH_dtype_name(dtype), (double)element(t, i), lo, hi);
    THTensor_free(t);
}

static void test_uniform_bounds(void **state) {
    (void)state;
    for (THDtype dtype = TH_FLOAT16; dtype <= TH_FLOAT64; dtype++) {
        check_bounds(dtype, 0, 1);
        check_bounds(dtype, -1, 0);
        check_bounds(dtype, -3, -2);
        check_bounds(dtype, 1, 1.0625);
        check_bounds(dtype, 0.1, 0.2); /* not numbers of any dtype */
        check_bounds(dtype, -30000, 30000);
    }
    THTensor *t = tensor_empty(TH_FLOAT32, LIST(100));
    assert_ok(TH_uniform(t, 2.5, 2.5, NULL));
    for (int64_t i = 0; i < 100; i++) assert_element(t, i, 2.5L, 0);
    THTensor_free(t);
}

static void check_randint(THDtype dtype, int64_t lo, int64_t hi) {
    THTensor *t = tensor_empty(dtype, LIST(4000));
    int low = 0, high = 0;
    THGenerator_seed(NULL, 9);
    assert_ok(TH_randint(t, lo, hi, NULL));
    const long double middle = ((long double)lo + (long double)hi) / 2;
    for (int64_t i = 0; i < 4000; i++) {
        const long double x = element(t, i);
        assert_true(x >= lo && x < hi && x == floorl(x));
        *(x < middle ? &low : &high) += 1;
    }
    if (hi - 1 > lo || hi < lo) assert_true(abs(low - high) < 400); /* six standard deviations */
    THTensor_free(t);
}

static void test_randint_bounds(void **state) {
    (void)state;
    for (THDtype dtype = TH_INT8; dtype <= TH_FLOAT64; dtype++) {
        check_randint(dtype, -100, 100);
        check_randint(dtype, -128, -120);
        check_randint(dtype, 5, 6);
    }
    check_randint(TH_UINT8, 0, 256);
    check_randint(TH_INT8, -128, 128);
    check_randint(TH_INT16, -32768, 32768);
    check_randint(TH_INT32, INT32_MIN, INT64_C(1) << 31);
    check_randint(TH_INT64, INT64_MIN, INT64_MAX);
    check_randint(TH_INT64, INT64_MIN, INT64_MIN + 8);
    check_randint(TH_INT64, -(INT64_C(3) << 61), INT64_C(3) << 61); /* a quarter of the words is rejected */
    check_randint(TH_FLOAT64, -(INT64_C(1) << 53), (INT64_C(1) << 53) + 1);
    check_randint(TH_FLOAT16, -2048, 2049);
    check_randint(TH_BFLOAT16, -256, 257);
}

/* ---- statistics, with fixed seeds ---- */

static void test_uniform_statistics(void **state) {
    (void)state;
    enum { N = 200000, BINS = 100 };
    for (THDtype dtype = TH_FLOAT32; dtype <= TH_FLOAT64; dtype++) {
        THTensor *t = tensor_empty(dtype, LIST(N));
        int64_t count[BINS] = {0};
        long double sum = 0, chi = 0, serial = 0, last = 0.5L;
        THGenerator_seed(NULL, 2024);
        assert_ok(TH_uniform(t, 0, 1, NULL));
        for (int64_t i = 0; i < N; i++) {
            const long double x = element(t, i);
            count[(int)(x * BINS)]++;
            sum += x;
            serial += (x - 0.5L) * (last - 0.5L);
            last = x;
        }
        for (int i = 0; i < BINS; i++) chi += (count[i] - N / BINS) * (long double)(count[i] - N / BINS) / (N / BINS);
        assert_true(fabsl(sum / N - 0.5L) < 4 / sqrtl(12.0L * N));
        assert_true(fabsl(serial / N) < 4 / (12 * sqrtl((long double)N)));
        assert_true(chi > 50 && chi < 160); /* 99 degrees of freedom: 0.01 % on either side */
        THTensor_free(t);
    }
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void test_normal_statistics(void **state) {
    (void)state;
    enum { N = 100000 };
    for (THDtype dtype = TH_FLOAT32; dtype <= TH_FLOAT64; dtype++) {
        THTensor *t = tensor_empty(dtype, LIST(N));
        double *x = test_malloc(N * sizeof *x), sum = 0, squares = 0, fourth = 0, distance = 0;
        THGenerator_seed(NULL, 77);
        assert_ok(TH_normal(t, 3, 2, NULL));
        for (int64_t i = 0; i < N; i++) {
            x[i] = ((double)element(t, i) - 3) / 2;
            sum += x[i], squares += x[i] * x[i], fourth += pow(x[i], 4);
        }
        assert_true(fabs(sum / N) < 4 / sqrt(N));
        assert_true(fabs(squares / N - 1) < 4 * sqrt(2.0 / N));
        assert_true(fabs(fourth / N - 3) < 4 * sqrt(96.0 / N));
        qsort(x, N, sizeof *x, by_size); /* Kolmogorov-Smirnov; 2 / sqrt(n): 0.07 % */
        for (int64_t i = 0; i < N; i++) {
            const double p = erfc(-x[i] / sqrt(2)) / 2;
            distance = fmax(distance, fmax(p - (double)i / N, (double)(i + 1) / N - p));
        }
        assert_true(distance < 2 / sqrt(N));
        assert_true(x[0] < -3.8 && x[N - 1] > 3.8); /* tails are there */
        test_free(x);
        THTensor_free(t);
    }
}

static void test_bernoulli(void **state) {
    (void)state;
    enum { N = 100000 };
    static const double ps[] = {0, 1e-12, 0.001, 0.5, 0.999, 1};
    for (THDtype dtype = 0; dtype < TH_DTYPE_COUNT; dtype++)
        for (int k = 0; k < 6; k++) {
            THTensor *t = tensor_empty(dtype, LIST(N));
            int64_t ones = 0;
            THGenerator_seed(NULL, 3);
            assert_ok(TH_bernoulli(t, ps[k], NULL));
            for (int64_t i = 0; i < N; i++) {
                assert_true(element(t, i) == 0 || element(t, i) == 1);
                ones += element(t, i) == 1;
            }
            if (ps[k] == 0 || ps[k] == 1) assert_int_equal(ones, ps[k] == 1 ? N : 0);
            assert_true(fabs((double)ones - N * ps[k]) <= 4 * sqrt(N * ps[k] * (1 - ps[k])) + 1e-3);
            THTensor_free(t);
        }
}

static void test_randint_statistics(void **state) {
    (void)state;
    enum { N = 70000 };
    THTensor *t = tensor_empty(TH_INT32, LIST(N));
    int64_t count[7] = {0};
    double chi = 0;
    THGenerator_seed(NULL, 5);
    assert_ok(TH_randint(t, -3, 4, NULL));
    for (int64_t i = 0; i < N; i++) count[(int)element(t, i) + 3]++;
    for (int i = 0; i < 7; i++) chi += pow((double)count[i] - N / 7, 2) / (N / 7);
    assert_true(chi > 0.3 && chi < 28); /* 6 degrees of freedom */
    THTensor_free(t);
}

/* ---- randperm ---- */

static void test_randperm(void **state) {
    (void)state;
    static const int64_t sizes[] = {0, 1, 2, 31, 32, 33, 34, 1000, 40000};
    for (int k = 0; k < 9; k++) {
        const int64_t n = sizes[k];
        THTensor *a = NULL, *b = NULL, *out = tensor_in_layout(TH_INT64, &n, 1, LAYOUT_GAPS);
        THGenerator_seed(NULL, 8);
        assert_ok(TH_randperm(&a, n, NULL));
        assert_true(position(NULL) == (uint64_t)((n + 31) / 32 * 16));
        THGenerator_seed(NULL, 8);
        assert_ok(TH_randperm(&out, n, NULL));
        assert_same(out, a);
        assert_holes(out);
        assert_ok(TH_randperm(&b, n, NULL));
        if (n > 30) assert_memory_not_equal(THTensor_data(a), THTensor_data(b), (size_t)n * 8);
        char *seen = test_calloc((size_t)n + 1, 1);
        for (int64_t i = 0; i < n; i++) {
            const int64_t x = (int64_t)element(a, i);
            assert_true(x >= 0 && x < n && !seen[x]++);
        }
        test_free(seen);
        THTensor_free(a), THTensor_free(b), THTensor_free(out);
    }
}

/* All 24 orders of four are equally likely. */
static void test_randperm_statistics(void **state) {
    (void)state;
    enum { N = 24000 };
    int count[256] = {0}, orders = 0;
    double chi = 0;
    THTensor *t = NULL;
    THGenerator_seed(NULL, 4);
    for (int i = 0; i < N; i++) {
        assert_ok(TH_randperm(&t, 4, NULL));
        const int64_t *p = THTensor_data(t);
        count[p[0] * 64 + p[1] * 16 + p[2] * 4 + p[3]]++;
    }
    for (int i = 0; i < 256; i++) {
        if (!count[i]) continue;
        orders++;
        chi += pow(count[i] - N / 24, 2) / (N / 24);
    }
    assert_int_equal(orders, 24);
    assert_true(chi > 5 && chi < 60); /* 23 degrees of freedom */
    THTensor_free(t);
}

/* ---- errors ---- */

static void test_errors(void **state) {
    (void)state;
    THTensor *f = tensor_of(TH_FLOAT32, LIST(2), (const double[]){5, 6}), *h = tensor_empty(TH_FLOAT16, LIST(2));
    THTensor *i = tensor_empty(TH_INT8, LIST(2)), *b = tensor_empty(TH_BOOL, LIST(2)), *one = NULL, *wide = NULL,
             *none = NULL;
    THGenerator_seed(NULL, 1);
    assert_fails(TH_E_ARG, "TH_uniform: t is NULL", TH_uniform(NULL, 0, 1, NULL));
    assert_fails(TH_E_TYPE, "TH_uniform: got t int8[2], want a floating dtype", TH_uniform(i, 0, 1, NULL));
    assert_fails(TH_E_ARG, "TH_uniform: got bounds 1 and 0", TH_uniform(f, 1, 0, NULL));
    assert_fails(TH_E_ARG, "TH_uniform: got bounds nan and 0", TH_uniform(f, NAN, 0, NULL));
    assert_fails(TH_E_ARG, "TH_uniform: got bounds 0 and inf", TH_uniform(f, 0, INFINITY, NULL));
    assert_fails(TH_E_ARG, "TH_uniform: got bounds 0 and 1e+39", TH_uniform(f, 0, 1e39, NULL));
    assert_fails(TH_E_ARG, "TH_uniform: got bounds -3e+38 and 3e+38", TH_uniform(f, -3e38, 3e38, NULL));
    assert_fails(TH_E_ARG, "TH_uniform: got bounds 0 and 70000", TH_uniform(h, 0, 70000, NULL));
    assert_fails(TH_E_TYPE, "TH_normal: got t bool[2]", TH_normal(b, 0, 1, NULL));
    assert_fails(TH_E_ARG, "TH_normal: got mean 0 and std -1", TH_normal(f, 0, -1, NULL));
    assert_fails(TH_E_ARG, "TH_normal: got mean nan", TH_normal(f, NAN, 1, NULL));
    assert_fails(TH_E_ARG, "TH_bernoulli: got p 1.5", TH_bernoulli(i, 1.5, NULL));
    assert_fails(TH_E_ARG, "TH_bernoulli: got p nan", TH_bernoulli(i, NAN, NULL));
    assert_fails(TH_E_ARG, "TH_bernoulli: t is NULL", TH_bernoulli(NULL, 0.5, NULL));
    assert_fails(TH_E_TYPE, "TH_randint: got t bool[2]", TH_randint(b, 0, 2, NULL));
    assert_fails(TH_E_ARG, "TH_randint: got bounds 3 and 3", TH_randint(i, 3, 3, NULL));
    assert_fails(TH_E_ARG, "integers that int8 holds, -128 to 127", TH_randint(i, 0, 129, NULL));
    assert_fails(TH_E_ARG, "integers that float16 holds", TH_randint(h, 0, 2050, NULL));
    assert_fails(TH_E_ARG, "TH_randperm: got n -1", TH_randperm(&none, -1, NULL));
    assert_fails(TH_E_ARG, "TH_randperm: out is NULL", TH_randperm(NULL, 3, NULL));
    assert_fails(TH_E_TYPE, "TH_randperm: got out float32[2]", TH_randperm(&f, 2, NULL));
    assert_ok(THTensor_narrow(&one, f, 0, 0, 1));
    assert_ok(THTensor_expand(&wide, one, LIST(4)));
    assert_fails(TH_E_ARG, "TH_normal: got out float32[4] whose elements share memory", TH_normal(wide, 0, 1, NULL));
    assert_element(f, 0, 5, 0);
    assert_true(position(NULL) == 0); /* failures take nothing from the generator */
    assert_null(none);
    THTensor_free(f), THTensor_free(h), THTensor_free(i), THTensor_free(b), THTensor_free(one), THTensor_free(wide);
}

static void randperm_each(void *arg) {
    (void)arg;
    THTensor *out = NULL;
    const THStatus status = TH_randperm(&out, 1000, NULL);
    assert_true(status == TH_OK ? out != NULL : status == TH_E_MEMORY && !out);
    THTensor_free(out);
}

static void test_out_of_memory(void **state) {
    (void)state;
    oom_each(randperm_each, NULL);
}

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers),
        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_uniform_bounds),
        cmocka_unit_test(test_randint_bounds),
        cmocka_unit_test(test_uniform_statistics),
        cmocka_unit_test(test_normal_statistics),
        cmocka_unit_test(test_bernoulli),
        cmocka_unit_test(test_randint_statistics),
        cmocka_unit_test(test_randperm),
        cmocka_unit_test(test_randperm_statistics),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
