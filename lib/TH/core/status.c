/* SPDX-License-Identifier: BSD-3-Clause */
#include "TH/sys.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static __thread char message[1024];

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
    size_t n = text ? strnlen(text, sizeof message - 1) : 0;
    memmove(message, text ? text : "", n); /* the text may be the current message */
    message[n] = 0;
    return status;
}

THStatus TH_raisef(THStatus status, const char *format, ...) {
    char text[sizeof message]; /* arguments may point into the current message */
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return TH_raise(status, text);
}
