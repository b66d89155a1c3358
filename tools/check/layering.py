# SPDX-License-Identifier: BSD-3-Clause
"""Arrows point down only: who may include what (DESIGN: TH < THNN < frontend < bindings)."""
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

faults, count = [], 0
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
