/* SPDX-License-Identifier: BSD-3-Clause */
/* CMocka with what every C test needs: assert_ok, assert_fails, run_group. */
#ifndef SUPPORT_CHECK_H
#define SUPPORT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "TH/TH.h"

/* The call must give TH_OK; else the test fails with the library's error text. */
#define assert_ok(call) support_assert_ok((call), #call, __FILE__, __LINE__)

/* The call must give `status` with an error text that contains `text`. */
#define assert_fails(status, text, call) support_assert_fails((call), (status), (text), #call, __FILE__, __LINE__)

/* Sizes and dims as two arguments: f(out, LIST(2, 3)) is f(out, (int64_t[]){2, 3}, 2). */
#define LIST(...) (const int64_t[]){__VA_ARGS__}, (int32_t)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
#define DIMS(...) (const int32_t[]){__VA_ARGS__}, (int32_t)(sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t))

/* Scalars in place: SCALAR_F(2.5), SCALAR_I(3), SCALAR_B(1). */
#define SCALAR_F(x) (&(THScalar){.kind = TH_SCALAR_FLOAT, .v.d = (x)})
#define SCALAR_I(x) (&(THScalar){.kind = TH_SCALAR_INT, .v.i = (x)})
#define SCALAR_B(x) (&(THScalar){.kind = TH_SCALAR_BOOL, .v.i = (x)})

static inline void support_assert_ok(THStatus status, const char *call, const char *file, int line) {
    if (status == TH_OK) return;
    print_error("%s\n  gave %s: %s\n", call, TH_status_kind(status), TH_error_message());
    _fail(file, line);
}

static inline void support_assert_fails(THStatus got, THStatus want, const char *text, const char *call,
                                        const char *file, int line) {
    if (got == want && strstr(TH_error_message(), text)) return;
    print_error("%s\n  gave %s: \"%s\"\n  want %s with \"%s\"\n", call, TH_status_kind(got),
                got == TH_OK ? "" : TH_error_message(), TH_status_kind(want), text);
    _fail(file, line);
}

#endif
