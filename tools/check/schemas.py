# SPDX-License-Identifier: BSD-3-Clause
"""What callers rely on stays: every schema of test/frontend/abi/schemas.txt is still there, and has at most gained trailing arguments with
defaults.  schemas.py LIBRARY [--update]   (--update writes the file anew: after an addition, or for a new major version)"""
import ctypes
import pathlib
import sys

from repository import ROOT, finish

BASELINE = ROOT / "test/frontend/abi/schemas.txt"


def present(library):
    """{"op add": "add(Tensor a, ...) -> Tensor"} of everything that the library offers, in its order."""
    wick = ctypes.CDLL(str(library))
    for f in ("wick_op_schema", "wick_op_name", "wick_class_name"):
        getattr(wick, f).restype, getattr(wick, f).argtypes = ctypes.c_char_p, [ctypes.c_void_p]
    wick.wick_op_at.restype = wick.wick_class_at.restype = wick.wick_class_constructor.restype = ctypes.c_void_p
    wick.wick_class_constructor.argtypes = [ctypes.c_void_p]
    out = {}
    for i in range(wick.wick_op_count()):
        op = wick.wick_op_at(i)
        out["op " + wick.wick_op_name(op).decode()] = wick.wick_op_schema(op).decode()
    for family in ("nn", "optim"):
        for i in range(wick.wick_class_count(family.encode())):
            c = wick.wick_class_at(family.encode(), i)
            schema = wick.wick_op_schema(wick.wick_class_constructor(c)).decode()
            out[f"{family} {wick.wick_class_name(c).decode()}"] = schema
    return out


def parts(schema):
    """The arguments of a schema, and its results."""
    inside, results = schema[schema.index("(") + 1:].rsplit(") -> ", 1)
    arguments, depth, quoted, start = [], 0, "", 0
    for i, c in enumerate(inside + ","):
        if quoted:
            quoted = "" if c == quoted else quoted
        elif c in "'\"":
            quoted = c
        elif c in "([":
            depth += 1
        elif c in ")]":
            depth -= 1
        elif c == "," and depth == 0:
            arguments.append(inside[start:i].strip())
            start = i + 1
    return [a for a in arguments if a], results


def fault(old, new):
    (was, gave), (now, gives) = parts(old), parts(new)
    if gave != gives:
        return "other results"
    if now[:len(was)] != was:
        return "other arguments"
    if not all("=" in a or a == "*" for a in now[len(was):]):
        return "a further argument without a default"
    return None


if __name__ == "__main__":
    here = present(pathlib.Path(sys.argv[1]).resolve())
    if "--update" in sys.argv:
        BASELINE.write_text("".join(f"{key.split()[0]} {schema}\n" for key, schema in here.items()))
    faults, lines = [], BASELINE.read_text().splitlines()
    for line in lines:
        family, schema = line.split(" ", 1)
        now = here.get(f"{family} {schema.split('(')[0]}")
        why = fault(schema, now) if now else "gone"
        if why:
            faults.append(f"{schema}: {why}" + (f": {now}" if now else ""))
    finish("schemas", faults, f"{len(lines)} of {len(here)} schemas are held")
