/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/oom.h"

#include <pthread.h>
#include <stdlib.h>

enum { LIMIT = 1 << 26 };

static THMemoryStats stats_now(void) {
    THMemoryStats s = {.struct_size = sizeof s};
    assert_ok(TH_memory_stats(&s));
    return s;
}

static void empty_cache(void) {
    TH_memory_set_cache_limit(LIMIT);
    TH_memory_trim();
    TH_memory_reset_peak();
}

static const int64_t sizes[] = {0,    1,    63,   64,   65,    100,   1024,  1025,    4095,    4096,   4097,
                                4608, 4609, 8192, 8193, 65536, 70000, 99999, 1 << 20, 1234567, 3 << 20};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Blocks are aligned, apart from each other, and large enough. */
static void test_blocks(void **state) {
    (void)state;
    empty_cache();
    unsigned char *p[SIZES][3];
    for (int turn = 0; turn < 3; turn++) { /* the second time from the cache */
        for (int i = 0; i < SIZES; i++)
            for (int k = 0; k < 3; k++) {
                p[i][k] = TH_alloc(sizes[i]);
                assert_non_null(p[i][k]);
                assert_int_equal((uintptr_t)p[i][k] % 64, 0);
                memset(p[i][k], i * 3 + k, (size_t)sizes[i]);
            }
        for (int i = 0; i < SIZES; i++)
            for (int k = 0; k < 3; k++) {
                for (int64_t b = 0; b < sizes[i]; b += b < 4096 ? 1 : 4096) assert_int_equal(p[i][k][b], i * 3 + k);
                if (sizes[i]) assert_int_equal(p[i][k][sizes[i] - 1], i * 3 + k);
                TH_free(p[i][k], sizes[i]);
            }
    }
    TH_free(NULL, 5);
}

/* What is rounded is at most 64 bytes or an eighth. */
static void test_counters(void **state) {
    (void)state;
    for (int i = 0; i < SIZES; i++) {
        empty_cache();
        THMemoryStats before = stats_now();
        assert_int_equal(before.cached, 0);
        void *p = TH_alloc(sizes[i]);
        THMemoryStats with = stats_now();
        int64_t taken = with.allocated - before.allocated;
        assert_true(taken >= sizes[i] && (taken <= sizes[i] + 64 || taken <= sizes[i] + sizes[i] / 8));
        assert_int_equal(with.allocations, before.allocations + 1);
        assert_int_equal(with.system, before.system + 1);
        assert_int_equal(with.peak, with.allocated);
        TH_free(p, sizes[i]);
        THMemoryStats after = stats_now();
        assert_int_equal(after.allocated, before.allocated);
        assert_int_equal(after.cached, taken);
        assert_int_equal(after.peak, with.peak);
        assert_ptr_equal(TH_alloc(sizes[i]), p); /* comes back from the cache */
        assert_int_equal(stats_now().system, with.system);
        assert_int_equal(stats_now().cached, 0);
        TH_free(p, sizes[i]);
        assert_int_equal(TH_memory_trim(), taken);
        assert_int_equal(stats_now().cached, 0);
    }
}

static void test_peak(void **state) {
    (void)state;
    empty_cache();
    int64_t base = stats_now().allocated, n = 1 << 20;
    void *a = TH_alloc(n), *b = TH_alloc(n);
    TH_free(a, n);
    TH_free(b, n);
    assert_int_equal(stats_now().peak, base + 2 * n);
    TH_memory_reset_peak();
    assert_int_equal(stats_now().peak, base);
}

static void test_limit(void **state) {
    (void)state;
    empty_cache();
    int64_t n = 1 << 20;
    TH_memory_set_cache_limit(3 * n);
    void *p[5];
    for (int i = 0; i < 5; i++) p[i] = TH_alloc(n);
    for (int i = 0; i < 5; i++) {
        TH_free(p[i], n);
        assert_true(stats_now().cached <= 3 * n);
    }
    TH_free(TH_alloc(4 * n), 4 * n); /* larger than the limit: never kept */
    assert_true(stats_now().cached <= 3 * n);
    TH_memory_set_cache_limit(0);
    assert_int_equal(stats_now().cached, 0);
    for (int i = 0; i < SIZES; i++) {
        TH_free(TH_alloc(sizes[i]), sizes[i]);
        assert_int_equal(stats_now().cached, 0);
    }
    TH_memory_set_cache_limit(-5); /* as 0 */
    TH_free(TH_alloc(100), 100);
    assert_int_equal(stats_now().cached, 0);
}

static void test_bad_sizes(void **state) {
    (void)state;
    assert_null(TH_alloc(-1));
    assert_non_null(strstr(TH_error_message(), "TH_alloc: got -1 bytes, want 0 to 2^62"));
    assert_null(TH_alloc(INT64_MAX));
    assert_non_null(strstr(TH_error_message(), "TH_alloc: got 9223372036854775807 bytes"));
    THMemoryStats before = stats_now();
    support_oom_left = 0;
    assert_null(TH_alloc(INT64_C(1) << 62));
    assert_string_equal(TH_error_message(),
                        "TH_alloc: out of memory: got none of the 4611686018427387904 bytes wanted");
    assert_int_equal(stats_now().allocated, before.allocated);
    assert_int_equal(stats_now().allocations, before.allocations);
}

static void test_stats_contract(void **state) {
    (void)state;
    assert_fails(TH_E_ARG, "stats is NULL", TH_memory_stats(NULL));
    THMemoryStats s = {.struct_size = 7};
    assert_fails(TH_E_ABI, "TH_memory_stats: got struct_size 7, want at least 8", TH_memory_stats(&s));
    s = (THMemoryStats){.struct_size = offsetof(THMemoryStats, peak), .peak = 42, .system = 43}; /* an older caller */
    assert_ok(TH_memory_stats(&s));
    assert_int_equal(s.struct_size, offsetof(THMemoryStats, peak));
    assert_true(s.peak == 42 && s.system == 43);
    struct {
        THMemoryStats stats;
        int64_t later;
    } newer = {.stats.struct_size = sizeof newer, .later = 44};
    assert_ok(TH_memory_stats(&newer.stats));
    assert_int_equal(newer.later, 44);
}

/* An exhausted source is asked again once the cache is empty. */
static void test_trims_before_it_fails(void **state) {
    (void)state;
    empty_cache();
    TH_free(TH_alloc(1 << 20), 1 << 20);
    support_oom_left = 0;
    void *p = TH_alloc(5 << 20);
    assert_non_null(p);
    assert_int_equal(stats_now().cached, 0);
    TH_free(p, 5 << 20);
}

/* ---- threads ---- */

typedef struct handover {
    void *blocks[2000];
    int64_t n;
} handover;

static void *free_all(void *arg) {
    handover *h = arg;
    for (int64_t i = 0; i < h->n; i++) TH_free(h->blocks[i], 64 + i % 40 * 100);
    return NULL;
}

static void *alloc_all(void *arg) {
    handover *h = arg;
    for (h->n = 0; h->n < 2000; h->n++) {
        h->blocks[h->n] = TH_alloc(64 + h->n % 40 * 100);
        if (!h->blocks[h->n]) break;
        memset(h->blocks[h->n], 1, 64);
    }
    return NULL;
}

/* One thread allocates, another frees: counters are exact and memory is reused, also after the threads' end. */
static void test_blocks_change_threads(void **state) {
    (void)state;
    empty_cache();
    static handover h;
    int64_t base = stats_now().allocated, fresh = 0;
    for (int turn = 0; turn < 20; turn++) {
        pthread_t maker, taker;
        assert_int_equal(pthread_create(&maker, NULL, alloc_all, &h), 0);
        pthread_join(maker, NULL);
        assert_int_equal(h.n, 2000);
        assert_true(stats_now().allocated >= base + 2000 * 64);
        if (turn == 0) fresh = stats_now().system;
        assert_int_equal(pthread_create(&taker, NULL, free_all, &h), 0);
        pthread_join(taker, NULL);
        assert_int_equal(stats_now().allocated, base);
    }
    assert_int_equal(stats_now().system, fresh);
    assert_true(TH_memory_trim() > 0);
    assert_int_equal(stats_now().cached, 0);
}

static void *churn(void *arg) {
    uint64_t x = (uint64_t)(uintptr_t)arg;
    void *held[16] = {NULL};
    int64_t bytes[16] = {0};
    for (int i = 0; i < 20000; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        int k = (int)(x >> 60);
        TH_free(held[k], bytes[k]);
        bytes[k] = (int64_t)(x >> 40 & 0x3fff);
        held[k] = TH_alloc(bytes[k]);
        if (held[k] && bytes[k]) *(char *)held[k] = 1;
    }
    for (int k = 0; k < 16; k++) TH_free(held[k], bytes[k]);
    return NULL;
}

static void test_many_threads(void **state) {
    (void)state;
    empty_cache();
    TH_memory_set_cache_limit(1 << 16); /* often full */
    int64_t base = stats_now().allocated;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, churn, (void *)(uintptr_t)(i + 1));
    for (int i = 0; i < 100; i++) (void)stats_now();
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    assert_int_equal(stats_now().allocated, base);
}

/* ---- hooks: these tests run first, while nothing is allocated ---- */

typedef struct ledger {
    int64_t allocs, frees, bytes, relief;
    int32_t broke, can_help;
} ledger;

static void *ledger_alloc(void *user, int64_t nbytes, int64_t alignment) {
    ledger *l = user;
    if (l->broke) return NULL;
    l->allocs++;
    l->bytes += nbytes;
    return aligned_alloc((size_t)alignment, (size_t)nbytes);
}

static void ledger_dealloc(void *user, void *p, int64_t nbytes) {
    ledger *l = user;
    l->frees++;
    l->bytes -= nbytes;
    free(p);
}

static int32_t ledger_pressure(void *user, int64_t nbytes) {
    ledger *l = user;
    l->relief += nbytes;
    l->broke = !l->can_help;
    return l->can_help;
}

static void test_hooks(void **state) {
    (void)state;
    ledger l = {0};
    THMemoryHooks hooks = {sizeof hooks, 0, &l, ledger_alloc, ledger_dealloc, NULL};
    TH_memory_set_cache_limit(LIMIT);
    void *p = TH_alloc(10);
    assert_fails(TH_E_ARG, "TH_memory_set_hooks: got 64 bytes in use, want none", TH_memory_set_hooks(&hooks));
    TH_free(p, 10); /* stays in this thread's list, and must go to its own source below */
    assert_ok(TH_memory_set_hooks(&hooks));
    p = TH_alloc(1000);
    assert_int_equal(l.allocs, 1);
    TH_free(p, 1000);
    TH_free(TH_alloc(1000), 1000);
    assert_int_equal(l.allocs, 1);
    assert_int_equal(l.frees, 0);
    TH_memory_set_cache_limit(0);
    assert_int_equal(l.frees, 1);
    for (int i = 0; i < SIZES; i++) TH_free(TH_alloc(sizes[i]), sizes[i]);
    assert_int_equal(l.allocs, 1 + SIZES);
    assert_int_equal(l.frees, 1 + SIZES);
    TH_memory_set_cache_limit(LIMIT);
    TH_free(TH_alloc(1 << 20), 1 << 20);
    assert_ok(TH_memory_set_hooks(NULL)); /* gives what is cached back */
    assert_int_equal(l.bytes, 0);
    assert_int_equal(l.allocs, l.frees);
}

static void test_pressure(void **state) {
    (void)state;
    ledger l = {.broke = 1};
    THMemoryHooks hooks = {sizeof hooks, 0, &l, ledger_alloc, ledger_dealloc, ledger_pressure};
    assert_ok(TH_memory_set_hooks(&hooks));
    assert_null(TH_alloc(100));
    assert_non_null(strstr(TH_error_message(), "TH_alloc: out of memory: got none of the 100 bytes wanted"));
    assert_int_equal(l.relief, 128);
    l.can_help = 1;
    void *p = TH_alloc(5000);
    assert_non_null(p);
    assert_true(l.relief >= 128 + 5000);
    TH_free(p, 5000);
    assert_ok(TH_memory_set_hooks(NULL));
    assert_int_equal(l.bytes, 0);
}

static void test_hooks_contract(void **state) {
    (void)state;
    THMemoryHooks hooks = {8, 0, NULL, ledger_alloc, ledger_dealloc, NULL};
    assert_fails(TH_E_ABI, "TH_memory_set_hooks: got struct_size 8", TH_memory_set_hooks(&hooks));
    hooks = (THMemoryHooks){sizeof hooks, 0, NULL, NULL, ledger_dealloc, NULL};
    assert_fails(TH_E_ARG, "alloc is NULL", TH_memory_set_hooks(&hooks));
    hooks = (THMemoryHooks){sizeof hooks, 0, NULL, ledger_alloc, NULL, NULL};
    assert_fails(TH_E_ARG, "dealloc is NULL", TH_memory_set_hooks(&hooks));
}

static int install(void **state) {
    (void)state;
    oom_install();
    return 0;
}

int main(void) {
    const struct CMUnitTest hook_tests[] = {
        cmocka_unit_test(test_hooks),
        cmocka_unit_test(test_pressure),
        cmocka_unit_test(test_hooks_contract),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_peak),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_bad_sizes),
        cmocka_unit_test(test_stats_contract),
        cmocka_unit_test(test_trims_before_it_fails),
        cmocka_unit_test(test_blocks_change_threads),
        cmocka_unit_test(test_many_threads),
    };
    return cmocka_run_group_tests(hook_tests, NULL, NULL) + cmocka_run_group_tests(tests, install, NULL);
}
