/* SPDX-License-Identifier: BSD-3-Clause */
/* Storages over files and shared memory. */
#include "TH/memory.h"
#include "core/tensor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a storage's deleter needs. */
typedef struct mapping {
    void *base;
    int64_t nbytes;
    char *unlink; /* name of the segment to unlink, or NULL */
    pid_t creator;
} mapping;

/* Where to map from, as the public functions differ. */
typedef struct source {
    const char *fn, *name;
    int (*open)(const char *name, int flags, mode_t mode);
    int (*unlink)(const char *name);
    mode_t mode;
    int fd; /* the caller's, if there is no open */
} source;

static int open_file(const char *name, int flags, mode_t mode) { return open(name, flags | O_CLOEXEC, mode); }

static THStatus raise_errno(const source *from, const char *what, int error) {
    char text[128];
    return TH_raisef(error == ENOENT ? TH_E_NOTFOUND : TH_E_IO,
                     "%s: cannot %s \"%.200s\": got \"%s\", want a usable file", from->fn, what, from->name,
                     strerror_r(error, text, sizeof text));
}

static void unmap(void *user) {
    mapping *m = user;
    if (m->base) munmap(m->base, (size_t)m->nbytes);
    if (m->unlink) {
        /* a forked child that frees its copy must not take the name away */
        if (m->creator == getpid()) shm_unlink(m->unlink);
        TH_free(m->unlink, (int64_t)strlen(m->unlink) + 1);
    }
    TH_free(m, sizeof *m);
}

static THStatus check(const source *from, THStorage **out, int64_t offset, int64_t nbytes, int32_t flags) {
    if (!out || !from->name) return TH_raisef(TH_E_ARG, "%s: %s is NULL", from->fn, out ? "path or name" : "out");
    int create = (flags & TH_MAP_CREATE) != 0, mode = flags & ~TH_MAP_CREATE;
    if (mode < TH_MAP_READONLY || mode > TH_MAP_SHARED || (create && mode != TH_MAP_SHARED))
        return TH_raisef(TH_E_ARG, "%s: got flags %d, want READONLY, PRIVATE, SHARED or SHARED | CREATE", from->fn,
                         (int)flags);
    if (offset < 0 || offset % 64 != 0)
        return TH_raisef(TH_E_ARG, "%s: got offset %lld, want a multiple of 64", from->fn, (long long)offset);
    int64_t end;
    if (nbytes < (create ? 0 : -1) || __builtin_add_overflow(offset, nbytes, &end))
        return TH_raisef(TH_E_ARG, "%s: got %lld bytes, want at least 0%s", from->fn, (long long)nbytes,
                         create ? "" : " (or -1: to the end)");
    return TH_OK;
}

/* The length to map; gives a new file its length. */
static THStatus settle(const source *from, int fd, int64_t offset, int64_t *nbytes, int create) {
    if (create) { /* allocated now: a full disk must not become a bus error later */
        int error = offset + *nbytes > 0 ? posix_fallocate(fd, 0, offset + *nbytes) : 0;
        return error ? raise_errno(from, "allocate", error) : TH_OK;
    }
    struct stat info;
    if (fstat(fd, &info) != 0) return raise_errno(from, "examine", errno);
    if (S_ISDIR(info.st_mode)) return raise_errno(from, "map", EISDIR);
    int64_t room = (int64_t)info.st_size - offset;
    if (room < 0 || *nbytes > room)
        return TH_raisef(TH_E_ARG,
                         "%s: got a range of %lld bytes from offset %lld, want one inside the %lld bytes of \"%.200s\"",
                         from->fn, (long long)*nbytes, (long long)offset, (long long)info.st_size, from->name);
    if (*nbytes < 0) *nbytes = room;
    return TH_OK;
}

static THStatus map_fd(THStorage **out, const source *from, int fd, int64_t offset, int64_t nbytes, int32_t mode,
                       mapping *m) {
    int64_t skip = offset % sysconf(_SC_PAGESIZE);
    m->nbytes = nbytes + skip;
    if (nbytes > 0) {
        int protection = mode == TH_MAP_READONLY ? PROT_READ : PROT_READ | PROT_WRITE;
        void *base = mmap(NULL, (size_t)m->nbytes, protection, mode == TH_MAP_PRIVATE ? MAP_PRIVATE : MAP_SHARED, fd,
                          offset - skip);
        if (base == MAP_FAILED) return raise_errno(from, "map", errno);
        m->base = base;
    }
    return THStorage_new_foreign(out, m->base ? (char *)m->base + skip : NULL, nbytes, TH_CPU, mode == TH_MAP_READONLY,
                                 unmap, m);
}

static THStatus map(THStorage **out, const source *from, int64_t offset, int64_t nbytes, int32_t flags, mapping *m) {
    int create = (flags & TH_MAP_CREATE) != 0, shared = (flags & TH_MAP_SHARED) != 0;
    int fd = from->fd;
    if (from->open)
        fd = from->open(from->name, (shared ? O_RDWR : O_RDONLY) | (create ? O_CREAT | O_EXCL : 0), from->mode);
    if (fd < 0) return raise_errno(from, create ? "create" : "open", errno);
    THStatus status = settle(from, fd, offset, &nbytes, create);
    if (status == TH_OK) status = map_fd(out, from, fd, offset, nbytes, flags & ~TH_MAP_CREATE, m);
    if (from->open) close(fd);
    if (status != TH_OK && create) from->unlink(from->name);
    return status;
}

static THStatus map_new(THStorage **out, const source *from, int64_t offset, int64_t nbytes, int32_t flags, int owned) {
    THStatus status = check(from, out, offset, nbytes, flags);
    if (status != TH_OK) return status;
    mapping *m = TH_alloc(sizeof *m);
    if (!m) return TH_E_MEMORY;
    *m = (mapping){.creator = getpid()};
    int64_t length = (int64_t)strlen(from->name) + 1;
    if (owned && !(m->unlink = TH_alloc(length))) {
        TH_free(m, sizeof *m);
        return TH_E_MEMORY;
    }
    if (owned) memcpy(m->unlink, from->name, (size_t)length);
    status = map(out, from, offset, nbytes, flags, m);
    if (status != TH_OK) {
        m->creator = -1; /* nothing to unlink */
        unmap(m);
    }
    return status;
}

THStatus THStorage_new_file(THStorage **out, const char *path, int64_t offset, int64_t nbytes, int32_t flags) {
    source from = {"THStorage_new_file", path, open_file, unlink, 0666, -1};
    return map_new(out, &from, offset, nbytes, flags, 0);
}

THStatus THStorage_new_fd(THStorage **out, int32_t fd, int64_t offset, int64_t nbytes, int32_t flags) {
    char name[32];
    snprintf(name, sizeof name, "descriptor %d", (int)fd);
    source from = {"THStorage_new_fd", name, NULL, NULL, 0, fd};
    if (fd < 0) return TH_raisef(TH_E_ARG, "%s: got %s, want that of an open file", from.fn, name);
    if (flags & TH_MAP_CREATE)
        return TH_raisef(TH_E_ARG, "%s: got flags %d, want READONLY, PRIVATE or SHARED", from.fn, (int)flags);
    return map_new(out, &from, offset, nbytes, flags, 0);
}

THStatus THStorage_new_shared(THStorage **out, const char *name, int64_t nbytes, int32_t flags) {
    source from = {"THStorage_new_shared", name, shm_open, shm_unlink, 0600, -1};
    return map_new(out, &from, 0, nbytes, flags, (flags & TH_MAP_CREATE) != 0);
}
