/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/fork.h"

#include <stdlib.h>

static void test_version(void **state) {
    (void)state;
    assert_int_equal(TH_version() & 0xff000000u, 0);
    assert_true(TH_version() >= 0x000100u);
}

/* ---- instruction sets ---- */

static void test_isa(void **state) {
    (void)state;
    int32_t n = TH_isa_count();
    assert_true(n >= 1);
    assert_null(TH_isa_name(-1));
    assert_null(TH_isa_name(n));
    assert_string_equal(TH_isa(), TH_isa_name(0)); /* at first the fastest */
    for (int32_t i = n - 1; i >= 0; i--) {
        assert_ok(TH_set_isa(TH_isa_name(i)));
        assert_string_equal(TH_isa(), TH_isa_name(i));
    }
    assert_fails(TH_E_NOTFOUND, "TH_set_isa: got \"sse9\", want a variant this CPU can run, such as",
                 TH_set_isa("sse9"));
    assert_fails(TH_E_ARG, "name is NULL", TH_set_isa(NULL));
    assert_string_equal(TH_isa(), TH_isa_name(0));
#if defined(__x86_64__)
    assert_string_equal(TH_isa_name(n - 1), "baseline");
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
        assert_string_equal(TH_isa_name(0), "avx512");
    if (!__builtin_cpu_supports("avx2")) assert_int_equal(n, 1);
#endif
}

/* The variant is chosen at first use: asked in a child of a process that has not asked yet (so this test comes first).
 */
static int isa_of_environment(void) {
    const char *last = TH_isa_name(TH_isa_count() - 1);
    setenv("TH_ISA", last, 1);
    return strcmp(TH_isa(), last) == 0 ? 0 : 1;
}

static int isa_of_bad_environment(void) {
    setenv("TH_ISA", "sse9", 1);
    return strcmp(TH_isa(), TH_isa_name(0)) == 0 ? 0 : 1;
}

static void test_isa_of_environment(void **state) {
    (void)state;
    assert_int_equal(in_child(isa_of_environment), 0);
    assert_int_equal(in_child(isa_of_bad_environment), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_isa_of_environment),
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_isa),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
