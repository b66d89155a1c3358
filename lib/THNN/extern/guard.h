/* SPDX-License-Identifier: BSD-3-Clause */
/* Where exceptions of C++ libraries end. */
#ifndef THNN_EXTERN_GUARD_H
#define THNN_EXTERN_GUARD_H

#ifdef __cplusplus
extern "C" {
#endif

enum { THNN_THREW_NOTHING, THNN_THREW_BAD_ALLOC, THNN_THREW };

/* Calls body(arg), and says what came out of it. C frames between are unwound: body must leave what it holds in *arg.
 */
int thnn_guard(void (*body)(void *arg), void *arg);

#ifdef __cplusplus
}
#endif
#endif
