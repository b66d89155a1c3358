/* SPDX-License-Identifier: BSD-3-Clause */
/* clang-format off */
/* The whole C ABI of Wick in one file without a preprocessor line: cffi's cdef() and LuaJIT's ffi.cdef() take this text as it is.
   C and C++ include wick/abi.h, which adds <stdint.h>, extern "C" and visibility around it.

   Rules. Arguments are borrowed for the call; results belong to the caller, who drops them with wick_release or wick_value_clear.
   Every fallible function returns a status, 0 for success; on failure the error waits in the calling thread's slot (wick_error_take) or, where
   the last parameter is `err` and not 0, is stored there; outputs are untouched, values in results WICK_TAG_UNSET. No function ends the process
   or throws. Callbacks run on the thread that called in, return 1 for success, and may call anything. Registry functions may be used from any
   thread, different objects from different threads. Published numbers never change; ops gain only trailing arguments with defaults. */

typedef struct wick_object wick_object;  /* any counted thing: tensor, string, list, function, module, optimizer */
typedef struct wick_op     wick_op;      /* something to call: an operator, a constructor, a method; lives until the process ends */
typedef struct wick_class  wick_class;   /* a class of modules or optimizers; lives until the process ends */
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

/* ---- version and features ---- */
uint32_t    wick_abi_version(void);               /* major << 16 | minor of the library in memory. This function never changes */
int32_t     wick_feature(const char *name);       /* 0: absent; else the feature's revision. "dlpack", "onednn", ... */
uint64_t    wick_instance(void);                  /* differs between two copies of the library in one process */

/* ---- errors. Texts and frames live as long as the error ---- */
wick_error *wick_error_take(void);                /* moves the calling thread's error out of its slot; 0 if there is none */
void        wick_error_free(wick_error *e);       /* 0 is allowed. Runs the destroy function of a foreign payload */
int32_t     wick_error_status(const wick_error *e);
const char *wick_error_kind(const wick_error *e);      /* "ShapeError", "python.ValueError", ... */
const char *wick_error_message(const wick_error *e);   /* "TH_add: got sizes [2, 3] and [4], want broadcastable sizes" */
uint32_t    wick_error_frame_count(const wick_error *e);
int32_t     wick_error_frame(const wick_error *e, uint32_t i, const char **where, const char **what, uint32_t *line); /* innermost first */
void       *wick_error_foreign(const wick_error *e, const char *runtime);  /* the payload, borrowed; 0 if none of that runtime */
/* For callbacks, before they return 0. raise puts an error into the slot (kind 0: the status's own) and returns its status; the other two
   add to the error in the slot. destroy may be 0; it runs when the error goes, and at once if there is no error to add to. */
int32_t     wick_error_raise(int32_t status, const char *kind, const char *message);
int32_t     wick_error_push_frame(const char *where, const char *what, uint32_t line);
int32_t     wick_error_set_foreign(const char *runtime, void *payload, void (*destroy)(void *payload));

/* ---- objects. A 0 handle is an error status everywhere but in retain, release and where said ---- */
void        wick_retain(wick_object *o);
void        wick_release(wick_object *o);         /* any thread; never fails; see `destroy` below for callbacks */
uint32_t    wick_tag(const wick_object *o);       /* WICK_TAG_TENSOR ...; WICK_TAG_NONE for 0 */
int64_t     wick_nbytes(const wick_object *o);    /* memory it keeps alive, for a collector's bookkeeping; 0 for 0 */
void        wick_value_clear(wick_value *v);      /* drops the reference if v holds one; v becomes WICK_TAG_NONE */

int32_t     wick_string_new(const char *bytes, int64_t nbytes, wick_object **out);       /* a copy; nbytes -1: up to the 0 */
int32_t     wick_string_data(const wick_object *s, const char **bytes, int64_t *nbytes); /* borrowed; a 0 follows. nbytes may be 0 */
int32_t     wick_list_new(const wick_value *values, uint32_t n, wick_object **out);      /* copies views, retains objects */
int32_t     wick_list_count(const wick_object *list, uint32_t *n);
int32_t     wick_list_get(const wick_object *list, uint32_t i, wick_value *out);         /* out is owned */

/* ---- tensors. Sizes and strides count elements; device 0 is the CPU ---- */
int32_t     wick_tensor_empty(int32_t dtype, uint64_t device, const int64_t *sizes, uint32_t ndim, wick_object **out);
int32_t     wick_tensor_from_data(const void *data, int32_t dtype, const int64_t *sizes, uint32_t ndim, wick_object **out); /* copies */
/* A view on foreign memory; strides 0: row-major. deleter(user) runs once, when the last tensor over it goes; not if this call fails. */
int32_t     wick_tensor_from_blob(void *data, int32_t dtype, uint64_t device, const int64_t *sizes, const int64_t *strides, uint32_t ndim,
                                  uint32_t flags, void (*deleter)(void *user), void *user, wick_object **out);
enum { WICK_BLOB_READONLY = 2 };                  /* beside WICK_ANY_THREAD, which is about the deleter */
int32_t     wick_tensor_dtype(const wick_object *t, int32_t *dtype);
int32_t     wick_tensor_device(const wick_object *t, uint64_t *device);
/* Store the number of dimensions, and up to cap of the numbers. */
int32_t     wick_tensor_sizes(const wick_object *t, uint32_t cap, int64_t *sizes, uint32_t *ndim);
int32_t     wick_tensor_strides(const wick_object *t, uint32_t cap, int64_t *strides, uint32_t *ndim);
int32_t     wick_tensor_data(const wick_object *t, void **data);        /* the first element, borrowed from the tensor */
int32_t     wick_tensor_touch(wick_object *t);                          /* says that the elements were written through that pointer */
int32_t     wick_tensor_version(const wick_object *t, uint64_t *version); /* counts writes */
int32_t     wick_tensor_item(const wick_object *t, wick_value *out);    /* the only element: BOOL, INT or FLOAT */
int32_t     wick_tensor_string(const wick_object *t, int32_t elements, wick_object **out); /* a String: "float32[2, 3]", or the elements too */
/* struct DLManagedTensorVersioned of DLPack 1. from: taken over on success. to: the consumer calls its deleter once; stream 0 on the CPU. */
int32_t     wick_tensor_from_dlpack(void *managed, wick_object **out);
int32_t     wick_tensor_to_dlpack(const wick_object *t, uint64_t stream, void **managed);

/* ---- callbacks ---- */
enum { WICK_CB_FAIL = 0, WICK_CB_DONE = 1 };      /* what a callback returns. 0 is failure, so that a swallowed exception is one */
/* One shape for all. args are borrowed; results hold WICK_TAG_UNSET and take owned values. Before failing, call wick_error_raise.
   call is 0 in hooks. */
typedef struct wick_call wick_call;
typedef int32_t (*wick_callback)(void *user, wick_call *call, const wick_value *args, uint32_t nargs, wick_value *results,
                                 uint32_t nresults);
/* `destroy` of a callback and `deleter` of a blob run once. With WICK_ANY_THREAD: at once, on the thread that drops the last reference.
   Otherwise on the thread that handed them over, at the start of its next call of a function that returns a status, in wick_drain, or
   when that thread ends; so that wick_release never calls back. */
enum { WICK_ANY_THREAD = 1 };
uint32_t    wick_drain(void);                     /* runs those that wait for the calling thread; returns how many */

/* ---- callables: operators, and the constructors and methods of classes. They live until the process ends ---- */
uint32_t    wick_op_count(void);
wick_op    *wick_op_at(uint32_t index);           /* 0 past the end. Indices never change */
/* By its name ("max.dim"), or by the name that several share ("max"): a group, which has variants and can be called, but has no schema. */
int32_t     wick_op_find(const char *name, wick_op **out);
uint32_t    wick_op_variant_count(const wick_op *op);                   /* 1 for what is no group */
wick_op    *wick_op_variant(const wick_op *op, uint32_t index);         /* 0 past the end. Groups grow at their end */
const char *wick_op_name(const wick_op *op);      /* texts live until the process ends */
const char *wick_op_schema(const wick_op *op);    /* "add(Tensor a, Tensor b, *, Scalar alpha=1) -> Tensor"; below the parsed form */
const char *wick_op_doc(const wick_op *op);
enum {                                            /* flags of a callable */
    WICK_OP_METHOD = 1,                           /* also to be a method of tensors, on its first argument */
    WICK_OP_PROPERTY = 2,                         /* and a property where a language has such */
    WICK_OP_IN_PLACE = 4,                         /* changes its first argument and returns it */
    WICK_OP_OUT = 8,                              /* takes `out`, a tensor for the result, by name */
    WICK_OP_OPERATOR = 16,                        /* wick_op_operator has its sign */
    WICK_OP_GROUP = 32, WICK_OP_CONSTRUCTOR = 64,
    WICK_OP_OF_OBJECT = 128                       /* a method, for wick_object_call */
};
uint32_t    wick_op_flags(const wick_op *op);
const char *wick_op_operator(const wick_op *op);  /* the sign as Python writes it: "+", "//", "-" (of one or two), "+="; 0 for others */
enum {                                            /* flags of an argument */
    WICK_ARG_OPTIONAL = 1,                        /* WICK_TAG_NONE is allowed */
    WICK_ARG_DEFAULT = 2,                         /* may be left out, with all that follow */
    WICK_ARG_KEYWORD = 4,                         /* to be passed by name in languages that can */
    WICK_ARG_LIST = 8
};
uint32_t    wick_op_arg_count(const wick_op *op);
/* Any output may be 0. dflt borrows; WICK_TAG_UNSET without a default. */
int32_t     wick_op_arg(const wick_op *op, uint32_t i, const char **name, const char **type, uint32_t *flags, wick_value *dflt);
uint32_t    wick_op_result_count(const wick_op *op);
int32_t     wick_op_result(const wick_op *op, uint32_t i, const char **type);
/* Calls an operator or a constructor (whose result is the object). The last nnames of the nargs arguments are those of these names, the
   others go by position; what is not given, or is WICK_TAG_UNSET, takes its default. *nresults is the room for results before and their
   number after; 0 stands for no room. Of a group, the first variant is called that the arguments fit exactly, else the first that they
   convert to. `out` writes the result into a tensor of its sizes, and is an error while that would be recorded. */
int32_t     wick_op_call(wick_op *op, const wick_value *args, uint32_t nargs, const char *const *names, uint32_t nnames,
                         wick_value *results, uint32_t *nresults, wick_error **err);
/* Adds an operator, from any thread, for the rest of the process: "name(Tensor x, int n=1) -> Tensor". It is called as call(user, 0, args,
   nargs, results, nresults), on the thread that called it, with every argument in place, and sets every result. "base.variant" joins the
   operators of that base name, behind them. flags: WICK_OP_METHOD, WICK_OP_PROPERTY. doc and out may be 0. */
int32_t     wick_op_register(const char *schema, const char *doc, uint32_t flags, wick_callback call, void *user, wick_op **out);

/* ---- autograd ---- */
int32_t     wick_grad_mode(void);                 /* 1 while the calling thread records (at first) */
int32_t     wick_set_grad_mode(int32_t on);       /* returns the previous mode */
int32_t     wick_tensor_requires_grad(const wick_object *t, int32_t *on);
int32_t     wick_tensor_set_requires_grad(wick_object *t, int32_t on);
int32_t     wick_tensor_retain_grad(wick_object *t);                    /* keeps the gradient of a non-leaf too */
int32_t     wick_tensor_grad(const wick_object *t, wick_object **out);  /* *out = 0 if there is none */
int32_t     wick_tensor_set_grad(wick_object *t, wick_object *grad);    /* grad 0: none */
int32_t     wick_tensor_detach(const wick_object *t, wick_object **out);/* the same elements without history */
/* fn(user, 0, &gradient, 1, &replacement, 1) during backward; a replacement left UNSET or NONE keeps the gradient. *id may be 0. */
int32_t     wick_tensor_register_hook(wick_object *t, wick_callback fn, void *user, void (*destroy)(void *user), uint32_t flags,
                                      uint64_t *id);
int32_t     wick_tensor_remove_hook(wick_object *t, uint64_t id);
enum { WICK_RETAIN_GRAPH = 1, WICK_CREATE_GRAPH = 2, WICK_ALLOW_UNUSED = 4 };
/* seeds may be 0, and each seed: ones for a root with one element. Gradients add up in the leaves. */
int32_t     wick_backward(wick_object *const *roots, wick_object *const *seeds, uint32_t n, uint32_t flags, wick_error **err);
/* The gradients with respect to inputs, into grads[ninputs] (0 for an unused input, if allowed), without touching the leaves. */
int32_t     wick_grad(wick_object *const *roots, wick_object *const *seeds, uint32_t n, wick_object *const *inputs, uint32_t ninputs,
                      uint32_t flags, wick_object **grads, wick_error **err);

/* ---- classes: modules ("nn") and optimizers ("optim") ---- */
uint32_t    wick_class_count(const char *family); /* 0 for an unknown family */
wick_class *wick_class_at(const char *family, uint32_t index);
int32_t     wick_class_find(const char *family, const char *name, wick_class **out);
const char *wick_class_name(const wick_class *c);
const char *wick_class_doc(const wick_class *c);
wick_op    *wick_class_constructor(const wick_class *c);   /* to be described, and called by wick_class_new */
int32_t     wick_class_new(wick_class *c, const wick_value *args, uint32_t nargs, const char *const *names, uint32_t nnames,
                           wick_object **out, wick_error **err);
wick_class *wick_object_class(const wick_object *o);       /* 0 for objects without a class */
uint32_t    wick_object_method_count(const wick_object *o);
wick_op    *wick_object_method(const wick_object *o, uint32_t index);  /* to be described, and called by wick_object_call; 0 past the end */
int32_t     wick_object_call(wick_object *o, const char *method, const wick_value *args, uint32_t nargs, const char *const *names,
                             uint32_t nnames, wick_value *results, uint32_t *nresults, wick_error **err);   /* as wick_op_call */

/* ---- the process ---- */
int32_t     wick_threads(void);                   /* that one operation may use */
int32_t     wick_set_threads(int32_t n);
typedef struct wick_hooks {                       /* the source of memory, for every device that has no own hooks */
    uint32_t struct_size;                         /* sizeof(wick_hooks) */
    uint32_t reserved;
    void *user;
    void *(*alloc)(void *user, uint64_t device, int64_t nbytes, int64_t alignment);   /* 0: out of memory */
    void  (*dealloc)(void *user, uint64_t device, void *p, int64_t nbytes);
    int32_t (*pressure)(void *user, uint64_t device, int64_t nbytes);  /* 1: something was freed, try again. May be 0 */
} wick_hooks;
int32_t     wick_set_hooks(const wick_hooks *h);  /* before the first tensor, and while none lives; 0: the system's. They may be called from any thread */
int64_t     wick_memory_trim(void);               /* gives cached blocks back to the system; returns the bytes */
void        wick_memory_set_cache_limit(int64_t nbytes); /* the most to keep cached; 0: nothing */
