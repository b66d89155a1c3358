-- SPDX-License-Identifier: BSD-3-Clause
-- Reads wick/abi.def.h as it is with LuaJIT and uses the library: luajit header.lua HEADER LIBRARY
local ffi = require "ffi"
local file = assert(io.open(arg[1]))
ffi.cdef(file:read "*a")
file:close()
local wick = ffi.load(arg[2])

assert(ffi.sizeof "wick_value" == 16 and ffi.offsetof("wick_value", "u") == 8)
assert(bit.rshift(wick.wick_abi_version(), 16) == 0)

local function check(status)
    if status == 0 then return end
    local e = ffi.gc(wick.wick_error_take(), wick.wick_error_free)
    error(ffi.string(wick.wick_error_message(e)), 0)
end

local function own(o) return ffi.gc(o, wick.wick_release) end

local function tensor(values)
    local out = ffi.new "wick_object *[1]"
    check(wick.wick_tensor_from_data(ffi.new("float[?]", #values, values), wick.WICK_FLOAT32, ffi.new("int64_t[1]", #values), 1, out))
    return own(out[0])
end

local function call(name, ...)
    local op, tensors = ffi.new "wick_op *[1]", { ... }
    check(wick.wick_op_find(name, op))
    local args, result = ffi.new("wick_value[?]", #tensors), ffi.new "wick_value[1]"
    for i, t in ipairs(tensors) do
        args[i - 1].tag, args[i - 1].u.o = wick.WICK_TAG_TENSOR, t
    end
    check(wick.wick_op_call(op[0], args, #tensors, nil, 0, result, ffi.new("uint32_t[1]", 1), nil))
    return own(result[0].u.o)
end

local x = tensor { 1, 2, 3 }
local data = ffi.new "void *[1]"
check(wick.wick_tensor_data(call("add", x, x), data))
assert(ffi.cast("float *", data[0])[2] == 6)
local ok, message = pcall(call, "add", x, tensor { 1, 2 })
assert(not ok and message:find("[3]", 1, true) and message:find("[2]", 1, true), message)

-- An error raised in a callback unwinds through C frames; it must come out as a status.
check(wick.wick_tensor_set_requires_grad(x, 1))
local hook = ffi.cast("wick_callback", function() error "from the hook" end)
check(wick.wick_tensor_register_hook(x, hook, nil, nil, 0, nil))
local loss = call("sum", x)
local roots = ffi.new("wick_object *[1]", loss)
local function backward() return wick.wick_backward(roots, nil, 1, 0, nil) end
jit.off(backward)
local done, status = pcall(backward)
assert(not done or status == wick.WICK_E_CALLBACK, status)
local e = wick.wick_error_take()
assert(done == (e ~= nil))
wick.wick_error_free(e)
