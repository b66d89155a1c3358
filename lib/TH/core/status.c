/* SPDX-License-Identifier: BSD-3-Clause */
#include "TH/sys.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 1024 };

/* A block per thread, not an array in thread-local storage: that is scarce for libraries loaded at run time. */
static __thread char *buffer;
static __thread const char *message = "";
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int have_key;

static void thread_ends(void *block) {
    free(block);
    buffer = NULL;
    message = "";
}

static void start(void) { have_key = pthread_key_create(&key, thread_ends) == 0; }

static char *my_buffer(void) {
    if (buffer) return buffer;
    pthread_once(&once, start);
    char *block = have_key ? malloc(CAPACITY) : NULL;
    if (block && pthread_setspecific(key, block) != 0) {
        free(block);
        block = NULL;
    }
    return buffer = block;
}

const char *TH_status_kind(THStatus status) {
    switch (status) {
#define TH_STATUS(NAME, code, kind, meaning)                                                                           \
    case code:                                                                                                         \
        return kind;
#include "TH/status.def"
#undef TH_STATUS
    }
    return "UnknownError";
}

const char *TH_status_meaning(THStatus status) {
    switch (status) {
#define TH_STATUS(NAME, code, kind, meaning)                                                                           \
    case code:                                                                                                         \
        return meaning;
#include "TH/status.def"
#undef TH_STATUS
    }
    return "not a status of this library";
}

const char *TH_error_message(void) { return message; }

THStatus TH_raise(THStatus status, const char *text) {
    char *to = my_buffer();
    message = to ? to : "out of memory: no room for an error text";
    if (!to) return status;
    size_t n = text ? strnlen(text, CAPACITY - 1) : 0;
    memmove(to, text ? text : "", n); /* the text may be the current message */
    to[n] = 0;
    return status;
}

THStatus TH_raisef(THStatus status, const char *format, ...) {
    char text[CAPACITY]; /* arguments may point into the current message */
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return TH_raise(status, text);
}
