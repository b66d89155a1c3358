/* SPDX-License-Identifier: BSD-3-Clause */
/** @file TH/storage.h
 * Counted blocks of bytes that tensors view. */
#ifndef TH_STORAGE_H
#define TH_STORAGE_H

#include "TH/status.h"
TH_BEGIN

typedef struct THStorage THStorage;

/** A device: type in the upper 32 bits, index in the lower. 0 is the CPU. Types are DLPack's minus one. */
typedef uint64_t THDevice;
enum { TH_CPU = 0 };

/** Flags of storages that map files or shared memory. */
enum {
    TH_MAP_READONLY = 0, /**< pages of the file; writing into tensors over it is an error */
    TH_MAP_PRIVATE = 1,  /**< writable, changes stay in this process */
    TH_MAP_SHARED = 2,   /**< writable, changes reach the file or the other processes */
    TH_MAP_CREATE =
        4 /**< with SHARED: make the file or segment (offset + nbytes long, space reserved, zeros); it must not exist */
};

/** A new block of `nbytes`, not initialised. */
TH_API THStatus THStorage_new(THStorage **out, int64_t nbytes);

/** Wraps foreign memory on `device`. `deleter(user)` is called once, on whichever thread drops the last
 * reference; not called if this function fails. NULL deleter: the memory outlives the storage.
 * readonly != 0: writing into tensors over it is an error. */
TH_API THStatus THStorage_new_foreign(THStorage **out, void *data, int64_t nbytes, THDevice device, int32_t readonly,
                                      void (*deleter)(void *user), void *user);

/** Maps `nbytes` of a file from `offset` (a multiple of 64; nbytes -1: to the end). The mapping ends with the storage.
 * A file that others shorten meanwhile raises SIGBUS on access, as with every mapping. TH_E_NOTFOUND, TH_E_IO, and
 * TH_E_ARG if the file is shorter. */
TH_API THStatus THStorage_new_file(THStorage **out, const char *path, int64_t offset, int64_t nbytes, int32_t flags);

/** The same of a file that is open, with its access in the flags' sense; the descriptor stays the caller's, who may
 * close it at once. What its name means by now does not matter. TH_MAP_CREATE is TH_E_ARG. */
TH_API THStatus THStorage_new_fd(THStorage **out, int32_t fd, int64_t offset, int64_t nbytes, int32_t flags);

/** Maps a POSIX shared-memory segment ("/name"; nbytes and statuses as for a file). With TH_MAP_CREATE this process
 * unlinks the name when its storage ends; other processes open it by name before that. */
TH_API THStatus THStorage_new_shared(THStorage **out, const char *name, int64_t nbytes, int32_t flags);

/** One more reference. Returns its argument; NULL is allowed, here and in THStorage_free. */
TH_API THStorage *THStorage_retain(THStorage *s);
TH_API void THStorage_free(THStorage *s);

TH_API void *THStorage_data(const THStorage *s); /**< first byte; may be NULL when nbytes is 0 */
TH_API int64_t THStorage_nbytes(const THStorage *s);
TH_API THDevice THStorage_device(const THStorage *s);
TH_API int32_t THStorage_is_readonly(const THStorage *s);
TH_API int64_t THStorage_refcount(const THStorage *s); /**< a snapshot */

/** How often the bytes were written through TH: every function that writes into a tensor it was given adds one.
 * Who saves a tensor for later compares versions to learn of a change. */
TH_API uint64_t THStorage_version(const THStorage *s);

/** Says that the bytes were written by other means. */
TH_API void THStorage_touch(THStorage *s);

TH_END
#endif
