# SPDX-License-Identifier: BSD-3-Clause
"""Reads wick/abi.def.h as it is with cffi and uses the library: header.py HEADER LIBRARY"""
import sys

import cffi

ffi = cffi.FFI()
with open(sys.argv[1]) as f:
    ffi.cdef(f.read())
wick = ffi.dlopen(sys.argv[2])

assert ffi.sizeof("wick_value") == 16 and ffi.offsetof("wick_value", "u") == 8
assert wick.wick_abi_version() >> 16 == 0


def check(status):
    if status == wick.WICK_OK:
        return
    e = ffi.gc(wick.wick_error_take(), wick.wick_error_free)
    error = RuntimeError(ffi.string(wick.wick_error_message(e)).decode())
    payload = wick.wick_error_foreign(e, b"python")
    if payload != ffi.NULL:
        error.__cause__ = ffi.from_handle(payload)
    raise error


def own(out):
    return ffi.gc(out[0], wick.wick_release)


def tensor(values):
    out = ffi.new("wick_object **")
    check(wick.wick_tensor_from_data(ffi.new("float[]", values), wick.WICK_FLOAT32, ffi.new("int64_t[]", [len(values)]), 1, out))
    return own(out)


def call(name, *tensors):
    op = ffi.new("wick_op **")
    check(wick.wick_op_find(name, op))
    args = ffi.new("wick_value[]", len(tensors))
    for arg, t in zip(args, tensors):
        arg.tag, arg.u.o = wick.WICK_TAG_TENSOR, t
    result = ffi.new("wick_value *")
    check(wick.wick_op_call(op[0], args, len(tensors), ffi.NULL, 0, result, ffi.new("uint32_t *", 1), ffi.NULL))
    return ffi.gc(result.u.o, wick.wick_release)


def numbers(t, n):
    data = ffi.new("void **")
    check(wick.wick_tensor_data(t, data))
    return list(ffi.cast("float *", data[0])[0:n])


x = tensor([1, 2, 3])
assert numbers(call(b"add", x, x), 3) == [2, 4, 6]
try:
    call(b"add", x, tensor([1, 2]))
    raise SystemExit("a wrong shape was accepted")
except RuntimeError as e:
    assert "[3]" in str(e) and "[2]" in str(e), e

# An exception in a hook comes out of backward as the cause, the same object.
handles = []


@ffi.callback("int32_t(void *, wick_call *, const wick_value *, uint32_t, wick_value *, uint32_t)")
def hook(user, call, args, nargs, results, nresults):
    try:
        raise ValueError("from the hook")
    except ValueError as e:
        handles.append((e, ffi.new_handle(e)))
        wick.wick_error_raise(wick.WICK_E_CALLBACK, b"python.ValueError", str(e).encode())
        wick.wick_error_set_foreign(b"python", handles[-1][1], ffi.NULL)
        return wick.WICK_CB_FAIL


check(wick.wick_tensor_set_requires_grad(x, 1))
check(wick.wick_tensor_register_hook(x, hook, ffi.NULL, ffi.NULL, 0, ffi.NULL))
loss = call(b"sum", call(b"mul", x, x))
root = ffi.new("wick_object *[]", [loss])
try:
    check(wick.wick_backward(root, ffi.NULL, 1, 0, ffi.NULL))
    raise SystemExit("the exception was lost")
except RuntimeError as e:
    assert e.__cause__ is handles[0][0] and str(e) == "from the hook"


# An exception that the callback does not catch: cffi returns 0, which is a failure.
@ffi.callback("int32_t(void *, wick_call *, const wick_value *, uint32_t, wick_value *, uint32_t)", onerror=lambda *a: None)
def careless(user, call, args, nargs, results, nresults):
    raise ValueError("swallowed by cffi")


y = tensor([1])
check(wick.wick_tensor_set_requires_grad(y, 1))
check(wick.wick_tensor_register_hook(y, careless, ffi.NULL, ffi.NULL, 0, ffi.NULL))
loss = call(b"sum", y)
root = ffi.new("wick_object *[]", [loss])
assert wick.wick_backward(root, ffi.NULL, 1, 0, ffi.NULL) == wick.WICK_E_CALLBACK
wick.wick_error_free(wick.wick_error_take())
