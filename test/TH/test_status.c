/* SPDX-License-Identifier: BSD-3-Clause */
#include "TH/sys.h"
#include "support/check.h"

#include <pthread.h>
#include <stdio.h>

/* From the contract in status.def, written out by hand: codes are never reused. */
static void test_codes(void **state) {
    (void)state;
    assert_int_equal(TH_OK, 0);
    assert_int_equal(TH_E_ARG, 1);
    assert_int_equal(TH_E_TYPE, 2);
    assert_int_equal(TH_E_SHAPE, 3);
    assert_int_equal(TH_E_MEMORY, 5);
    assert_int_equal(TH_E_INDEX, 12);
    assert_int_equal(TH_E_AUTOGRAD, 14);
}

static void test_kind_and_meaning(void **state) {
    (void)state;
    assert_string_equal(TH_status_kind(TH_OK), "Ok");
    assert_string_equal(TH_status_kind(TH_E_SHAPE), "ShapeError");
    assert_string_equal(TH_status_kind(TH_E_AUTOGRAD), "AutogradError");
    assert_string_equal(TH_status_kind(-1), "UnknownError");
    assert_string_equal(TH_status_kind(15), "UnknownError");
    for (THStatus s = TH_OK; s <= TH_E_AUTOGRAD; s++) {
        assert_string_not_equal(TH_status_kind(s), "UnknownError");
        assert_true(strlen(TH_status_meaning(s)) > 5);
    }
    assert_non_null(TH_status_meaning(1000));
}

static void *read_message(void *arg) {
    strcpy(arg, TH_error_message());
    TH_raise(TH_E_ARG, "of the other thread");
    return NULL;
}

static void test_message_is_per_thread(void **state) {
    (void)state;
    char other[64] = "unset";
    pthread_t thread;
    assert_int_equal(TH_raise(TH_E_TYPE, "of this thread"), TH_E_TYPE);
    assert_int_equal(pthread_create(&thread, NULL, read_message, other), 0);
    pthread_join(thread, NULL);
    assert_string_equal(other, "");
    assert_string_equal(TH_error_message(), "of this thread");
}

static void test_long_and_null_texts(void **state) {
    (void)state;
    char text[3000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    TH_raise(TH_E_ARG, text);
    assert_int_equal(strlen(TH_error_message()), 1023);
    TH_raisef(TH_E_ARG, "%s", text);
    assert_int_equal(strlen(TH_error_message()), 1023);
    TH_raise(TH_E_ARG, NULL);
    assert_string_equal(TH_error_message(), "");
}

/* A caller may put the previous text into the new one. */
static void test_message_in_message(void **state) {
    (void)state;
    TH_raise(TH_E_ARG, "inner");
    assert_int_equal(TH_raisef(TH_E_SHAPE, "outer: %s (%d)", TH_error_message(), 7), TH_E_SHAPE);
    assert_string_equal(TH_error_message(), "outer: inner (7)");
    TH_raise(TH_E_SHAPE, TH_error_message() + 7);
    assert_string_equal(TH_error_message(), "inner (7)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codes),
        cmocka_unit_test(test_kind_and_meaning),
        cmocka_unit_test(test_message_is_per_thread),
        cmocka_unit_test(test_long_and_null_texts),
        cmocka_unit_test(test_message_in_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
