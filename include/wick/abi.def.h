/* SPDX-License-Identifier: BSD-3-Clause */
/* The whole C ABI of Wick in one file without a preprocessor line: cffi's cdef() and LuaJIT's ffi.cdef() take this text as it is.
   C and C++ include wick/abi.h, which adds <stdint.h>, extern "C" and visibility around it.

   Rules. Arguments are borrowed for the call; results belong to the caller, who drops them with wick_release or wick_value_clear.
   Every fallible function returns a status, 0 for success; on failure results are untouched and the error waits in the calling thread's slot
   (wick_error_take) or, where the last parameter is `err` and not 0, is stored there. No function ends the process or throws.
   Callbacks run on the thread that called in, return 1 for success, and may call anything. Registry functions may be used from any
   thread, different objects from different threads. Published numbers never change; ops gain only trailing arguments with defaults. */

typedef struct wick_object wick_object;  /* any counted thing: tensor, string, list, function, module, optimizer */
typedef struct wick_op     wick_op;      /* a registered operator; lives until the process ends */
typedef struct wick_error  wick_error;   /* an error taken out of its slot; the taker frees it */

enum {                                   /* status (TH/status.def) */
    WICK_OK = 0, WICK_E_ARG = 1, WICK_E_TYPE = 2, WICK_E_SHAPE = 3, WICK_E_NOTFOUND = 4, WICK_E_MEMORY = 5,
    WICK_E_DEVICE = 6, WICK_E_UNSUPPORTED = 7, WICK_E_CALLBACK = 8, WICK_E_ABI = 9, WICK_E_FORKED = 10,
    WICK_E_INTERNAL = 11, WICK_E_INDEX = 12, WICK_E_IO = 13, WICK_E_AUTOGRAD = 14
};
enum {                                   /* dtype (TH/dtype.def) */
    WICK_BOOL = 0, WICK_UINT8 = 1, WICK_INT8 = 2, WICK_INT16 = 3, WICK_INT32 = 4, WICK_INT64 = 5, WICK_FLOAT16 = 6,
    WICK_BFLOAT16 = 7, WICK_FLOAT32 = 8, WICK_FLOAT64 = 9
};

/* ---- a value: 16 bytes. Tags under 64 own nothing; from 64 on u.o is one counted reference ---- */
enum {
    WICK_TAG_NONE = 0, WICK_TAG_BOOL = 1, WICK_TAG_INT = 2, WICK_TAG_FLOAT = 3, WICK_TAG_DTYPE = 4, WICK_TAG_DEVICE = 5,
    WICK_TAG_STR = 6, WICK_TAG_INTS = 7, WICK_TAG_FLOATS = 8, WICK_TAG_VALUES = 9, /* borrowed, aux = count of bytes or elements */
    WICK_TAG_TENSOR = 64, WICK_TAG_STRING = 65, WICK_TAG_LIST = 66, WICK_TAG_FUNCTION = 67, WICK_TAG_MODULE = 68,
    WICK_TAG_OPTIMIZER = 69,
    WICK_TAG_UNSET = 255                 /* what results hold before a call */
};
typedef struct wick_value {
    uint32_t tag;
    uint32_t aux;
    union {
        int64_t i; double f; uint64_t bits; void *p; wick_object *o; const char *s;
        const int64_t *ints; const double *floats; const struct wick_value *values;
    } u;
} wick_value;
