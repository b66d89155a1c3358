/* SPDX-License-Identifier: BSD-3-Clause */
/** @file TH/status.h
 * Statuses and the calling thread's error text. */
#ifndef TH_STATUS_H
#define TH_STATUS_H

#include "TH/api.h"
TH_BEGIN

/** What every fallible function returns: TH_OK (0) or one of the TH_E_... codes of TH/status.def. */
typedef int32_t THStatus;

enum {
#define TH_STATUS(name, code, kind, meaning) TH_##name = code,
#include "TH/status.def"
#undef TH_STATUS
};

/** The kind of a status as a word ("ShapeError"), or "UnknownError". Static storage, never NULL. */
TH_API const char *TH_status_kind(THStatus status);

/** One sentence on what a status means. Static storage, never NULL. */
TH_API const char *TH_status_meaning(THStatus status);

/** The text of the most recent failure on the calling thread: "<function>: got ..., want ...".
 * "" before the first failure. Borrowed; valid until the next failure on this thread. */
TH_API const char *TH_error_message(void);

/** Sets the calling thread's error text to a copy of `message` (cut at 1023 bytes; NULL is "")
 * and returns `status`, so that a library or a callback can write `return TH_raise(...)`. */
TH_API THStatus TH_raise(THStatus status, const char *message);

TH_END
#endif
