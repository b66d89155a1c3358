# SPDX-License-Identifier: BSD-3-Clause
"""Arrows point down only: who may include what (DESIGN: TH < THNN < frontend < bindings), and inside a library, that nothing below ops/
includes or calls what is in it."""
import re

from repository import ROOT, files, finish, text

# Folder -> prefixes of quoted includes that it may use, besides files of its own library.
ALLOWED = {
    "include/TH": ["TH/"],
    "include/THNN": ["TH/", "THNN/"],
    "include/wick": ["TH/", "THNN/", "wick/"],
    "lib/expr": ["expr/"],
    "lib/TH": ["TH/", "expr/"],
    "lib/THNN": ["TH/", "THNN/", "expr/"],
    "frontend": ["TH/", "THNN/", "expr/sizes.h", "wick/"],
}
# Headers of other people's libraries, and the only places that may include them.
THIRD_PARTY = {
    r"cblas.*|lapacke.*": ["lib/TH/extern"],
    r"(oneapi/)?dnnl/.*|dnnl.*": ["lib/THNN/extern"],
    r"omp\.h": ["lib/expr/openmp.h"],
    r"ffi\.h": ["frontend/core"],
    r"zlib\.h": ["frontend/data", "frontend/io"],
    r"nlohmann/.*": ["frontend/io"],
    r"cuda.*|cudnn.*|nccl.*|cublas.*": ["lib/THC/extern", "lib/THCUNN/extern"],
}
# Libraries made of rooms, of which ops/ is the top: core/, kernels/ and extern/ serve it and do not know it.
ROOMS = ["lib/TH", "lib/THNN", "lib/THC", "lib/THCUNN"]


def code(path):
    return re.sub(r"/\*.*?\*/|\"(\\.|[^\"\\\n])*\"", lambda m: "\n" * m.group().count("\n"), text(path), flags=re.S)


def defined_in_ops(library):
    """The functions that the sources of a library's ops/ define, whether written out or made from an op list."""
    names = set()
    for path in files(".c", ".def"):
        if path.is_relative_to(f"{library}/ops") and path.suffix == ".c":
            names |= set(re.findall(r"^(?!static)\w[\w ]*[ *](\w+)\([^;{]*\{", code(path), flags=re.M))
        if path.is_relative_to(f"include/{library[4:]}/ops"):
            names |= {f"{library[4:]}_{name}" for name in re.findall(r"^\w+\((\w+),", text(path), flags=re.M)}
    return names


faults, count = [], 0
for library in ROOMS:
    ops = defined_in_ops(library)
    for path in files(".c", ".h", ".inc"):
        if not path.is_relative_to(library) or path.is_relative_to(f"{library}/ops"):
            continue
        for number, line in enumerate(code(path).splitlines(), 1):
            declared = re.match(r"\w[\w ]*[ *](\w+)\(", line)
            for name in re.findall(r"\b(\w+)\(", line):
                if name in ops and not (declared and name == declared.group(1)):
                    faults.append(f"{path}:{number} calls {name}, which {library}/ops defines")
        for name in re.findall(r'^\s*#\s*include\s*"(ops/[^"]+)"', text(path), flags=re.M):
            faults.append(f"{path} includes {name}: {path.parts[2]}/ lies below ops/")
for path in files(".c", ".h", ".inc", ".cpp", ".hpp", ".def"):
    folder = next((f for f in ALLOWED if path.is_relative_to(f)), None)
    if folder is None:
        continue
    for number, line in enumerate(text(path).splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not found:
            continue
        count += 1
        quote, name = found.groups()
        where = f"{path}:{number}"
        for pattern, places in THIRD_PARTY.items():
            if re.fullmatch(pattern, name) and not any(path.is_relative_to(p) for p in places):
                faults.append(f"{where} includes {name}, which only {', '.join(places)} may")
        public = (ROOT / "include" / name).is_file() or name.split("/")[0] in ("TH", "THNN", "THC", "THCUNN", "wick", "expr")
        if quote == "<" and not public:
            continue
        if public and not any(name.startswith(p) for p in ALLOWED[folder]):
            faults.append(f"{where} includes {name}; {folder} may use only {', '.join(ALLOWED[folder])}")
        if not public and not any((ROOT / base / name).is_file() for base in (folder, path.parent)):
            faults.append(f"{where} includes {name}, which is not a file of {folder}")
        if folder == "frontend" and path.is_relative_to("frontend/examples") and path.suffix == ".c" and name != "wick/abi.h":
            faults.append(f"{where}: a C example sees wick/abi.h alone")
finish("layering", faults, f"{count} includes")
