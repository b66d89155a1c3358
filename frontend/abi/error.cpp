// SPDX-License-Identifier: BSD-3-Clause
#include "abi/guard.hpp"
#include <cstring>
#include <pthread.h>

#define TH_STATUS(NAME, code, kind, meaning) static_assert(WICK_##NAME == code);
#include "TH/status.def"
#undef TH_STATUS

namespace wick::abi {

// What remains when there is no memory even for an error. Its texts are short enough to need none.
static wick_error *out_of_memory() noexcept {
    alignas(wick_error) static char place[sizeof(wick_error)];
    static wick_error *const e = new (place) wick_error{Error(TH_E_MEMORY, "MemoryError", "out of memory")};
    return e;
}

static wick_error *new_error(Error e) noexcept {
    auto *p = new (std::nothrow) wick_error{std::move(e)};
    return p ? p : out_of_memory();
}

// The thread's slot. It is emptied when the thread ends, by a key of pthread's rather than a destructor: registering
// one aborts the process without memory. An error that cannot be registered is not kept.
static __thread wick_error *slot = nullptr;

static void end_of_thread(void *) noexcept { wick_error_free(std::exchange(slot, nullptr)); }

static bool freed_at_the_end() noexcept {
    static pthread_key_t key;
    static const bool usable = pthread_key_create(&key, end_of_thread) == 0;
    return usable && pthread_setspecific(key, &key) == 0;
}

static void set_slot(wick_error *e) noexcept {
    if (e && e != out_of_memory() && !freed_at_the_end()) {
        wick_error_free(e);
        e = out_of_memory();
    }
    wick_error_free(std::exchange(slot, e));
}

wick_error *take_slot() noexcept { return std::exchange(slot, nullptr); }
void clear_slot() noexcept { set_slot(nullptr); }

static wick_error *error_of_current(const char *fn) noexcept try {
    try {
        throw;
    } catch (Error &e) {
        return new_error(std::move(e));
    } catch (const std::bad_alloc &) {
        return out_of_memory();
    } catch (const std::exception &e) {
        return new_error(Error(TH_E_INTERNAL, std::string(fn) + ": " + e.what()));
    } catch (...) {
        return new_error(Error(TH_E_INTERNAL, std::string(fn) + ": a foreign exception passed through"));
    }
} catch (...) {
    return out_of_memory();
}

static void add_frame(wick_error *e, const char *where, const char *what, uint32_t line) {
    if (e != out_of_memory()) e->error.push_frame({where ? where : "", what ? what : "", line});
}

int32_t store_current(const char *fn, wick_error **err, const char *op) noexcept {
    wick_error *e = error_of_current(fn);
    try {
        if (op) add_frame(e, fn, op, 0);
    } catch (...) { // without the frame, then
    }
    int32_t status = e->error.status();
    if (err)
        *err = e;
    else
        set_slot(e);
    return status;
}

std::string kind_name(uint32_t tag) {
    switch (tag) {
    case WICK_TAG_TENSOR: return "Tensor";
    case WICK_TAG_STRING: return "String";
    case WICK_TAG_LIST: return "List";
    case WICK_TAG_FUNCTION: return "Function";
    case WICK_TAG_MODULE: return "Module";
    case WICK_TAG_OPTIMIZER: return "Optimizer";
    }
    return "object of tag " + std::to_string(tag);
}

void fail_null(const char *fn, const char *arg) { fail(TH_E_ARG, "%s: %s is NULL", fn, arg); }

void fail_kind(const char *fn, const char *arg, Kind got, Kind want) {
    fail(TH_E_TYPE, "%s: got a %s as %s, want a %s", fn, kind_name(static_cast<uint32_t>(got)).c_str(), arg,
         kind_name(static_cast<uint32_t>(want)).c_str());
}

} // namespace wick::abi

using namespace wick::abi;
using wick::Error;

wick_error *wick_error_take(void) { return take_slot(); }

void wick_error_free(wick_error *e) {
    if (e != out_of_memory()) delete e;
}

int32_t wick_error_status(const wick_error *e) { return e ? e->error.status() : WICK_OK; }
const char *wick_error_kind(const wick_error *e) { return e ? e->error.kind().c_str() : ""; }
const char *wick_error_message(const wick_error *e) { return e ? e->error.message().c_str() : ""; }
uint32_t wick_error_frame_count(const wick_error *e) { return e ? static_cast<uint32_t>(e->error.frames().size()) : 0; }

int32_t wick_error_frame(const wick_error *e, uint32_t i, const char **where, const char **what, uint32_t *line) {
    return guard("wick_error_frame", [&] {
        need("wick_error_frame", "e", e);
        if (i >= e->error.frames().size())
            wick::fail(TH_E_INDEX, "wick_error_frame: got frame %u, want one of %zu", i, e->error.frames().size());
        const Error::Frame &frame = e->error.frames()[i];
        if (where) *where = frame.where.c_str();
        if (what) *what = frame.what.c_str();
        if (line) *line = frame.line;
    });
}

void *wick_error_foreign(const wick_error *e, const char *runtime) {
    return e && runtime && e->error.foreign.runtime == runtime ? e->error.foreign.payload.get() : nullptr;
}

int32_t wick_error_raise(int32_t status, const char *kind, const char *message) {
    bool known = status > WICK_OK && std::strcmp(TH_status_kind(status), "UnknownError") != 0;
    try {
        throw Error(known ? status : WICK_E_CALLBACK, kind ? kind : TH_status_kind(known ? status : WICK_E_CALLBACK),
                    message ? message : "");
    } catch (...) {
        return store_current("wick_error_raise", nullptr);
    }
}

int32_t wick_error_push_frame(const char *where, const char *what, uint32_t line) {
    return guard("wick_error_push_frame", [&] {
        if (!slot) throw Error(TH_E_ARG, "wick_error_push_frame: there is no error to add to");
        add_frame(slot, where, what, line);
    });
}

int32_t wick_error_set_foreign(const char *runtime, void *payload, void (*destroy)(void *payload)) {
    return guard("wick_error_set_foreign", [&] {
        std::shared_ptr<void> owned(payload, [destroy](void *p) {
            try {
                if (destroy) destroy(p);
            } catch (...) { // raised through C frames; nobody is left to tell
            }
        });
        need("wick_error_set_foreign", "runtime", runtime);
        if (!slot || slot == out_of_memory())
            throw Error(TH_E_ARG, "wick_error_set_foreign: there is no error to add to");
        slot->error.foreign = {runtime, std::move(owned)};
    });
}
