# SPDX-License-Identifier: BSD-3-Clause
"""lib/expr is the common subset of C99, C++20 and CUDA C++: compiles all of it in each, and says where there is no compiler."""
import os
import pathlib
import platform
import shutil
import subprocess
import tempfile

from repository import ROOT, files, finish

CPU_ONLY = {"isa.def", "map.inc", "openmp.h", "tables.inc", "row.inc", "floats.inc", "integers.inc", "numbers.inc", "widths.inc"}  # loops and tables
FMA = {"x86_64": ["-march=x86-64-v3"]}.get(platform.machine(), [])
HOST = ["-D_GNU_SOURCE", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-Wno-unused-function", *FMA]
NVCC = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
# Language -> compilers, flags, suffix.
LANGUAGES = {
    "C99": (["gcc", "clang", "clang-14"], ["-std=c99", *HOST], ".c"),
    "C++20": (["g++", "clang++", "clang++-14"], ["-std=c++20", *HOST], ".cpp"),
    "CUDA": ([NVCC], ["-std=c++17", "-ptx", "-Werror=all-warnings"], ".cu"),
}

faults, done = [], []
for language, (compilers, flags, suffix) in LANGUAGES.items():
    found = {os.path.realpath(shutil.which(c)): c for c in compilers if c and shutil.which(c)}
    if not found:
        done.append(f"no compiler for {language}")
    for compiler in found.values():
        with tempfile.TemporaryDirectory() as folder:
            source, output, used = (pathlib.Path(folder, "all" + s) for s in (suffix, ".o", ".d"))
            source.write_text('#include "check/expressions.h"\n')
            command = [compiler, *flags, f"-I{ROOT}/tools", f"-I{ROOT}/lib", f"-I{ROOT}/include", "-MD", "-MF", used, "-c", source, "-o", output]
            if language == "CUDA":
                command.remove("-c")
            result = subprocess.run(command, capture_output=True, text=True)
            name = pathlib.Path(compiler).name
            if result.returncode != 0:
                faults.append(f"{name} does not take lib/expr as {language}:\n{(result.stderr or result.stdout)[:4000]}")
                continue
            read = used.read_text()
            for path in files(".h", ".inc", ".def"):
                if path.is_relative_to("lib/expr") and str(path) not in read and not (language == "CUDA" and path.name in CPU_ONLY):
                    faults.append(f"{path} is not compiled as {language}: include it in tools/check/expressions.h")
            done.append(f"{language} by {name}")
finish("expressions", faults, ", ".join(done))
