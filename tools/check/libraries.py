# SPDX-License-Identifier: BSD-3-Clause
"""What a build's libraries export, weigh and do at load.  libraries.py BUILD"""
import pathlib
import re
import subprocess
import sys
import tempfile

from repository import finish, text

BUILD = pathlib.Path(sys.argv[1])
EXPORTS = {"TH": r"TH(Tensor|Storage|Generator)?_\w+", "THNN": r"THNN_\w+", "wick": r"wick_\w+|_Z\w*4wick\w*"}
BYTES_PER_OP = 18_000  # of the three libraries together, kernels for every instruction set and dtype included
BYTES_PER_ROW = {"unary": 2_700, "binary": 3_800}  # of a family's source in the frontend, per row of its list
LOAD_SECONDS = 0.010


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


faults, total = [], 0
for name, pattern in EXPORTS.items():
    library = BUILD / "lib" / f"lib{name}.so"
    for line in run("nm", "-D", "--defined-only", library).splitlines():
        symbol, kind = line.split()[2].split("@")[0], line.split()[1]
        if kind != "A" and not re.fullmatch(pattern, symbol):  # A: the version node
            faults.append(f"lib{name} exports {symbol}")
    constructors = re.search(r"\.init_array\s+\w+\s+\w+\s+\w+\s+(\w+)", run("readelf", "-SW", library))
    own = 1 + run("nm", library).count("__cpu_indicator_init")  # the compiler's: frame_dummy, and what __builtin_cpu_supports reads
    count = int(constructors.group(1), 16) // 8 if constructors else 0
    if count > own:
        faults.append(f"lib{name} runs {count - own} static constructors")
    with tempfile.NamedTemporaryFile() as stripped:
        subprocess.run(["strip", "-o", stripped.name, library], check=True)
        total += pathlib.Path(stripped.name).stat().st_size
ops = len(re.findall(r"^op ", text("test/frontend/abi/schemas.txt"), re.M))
if total > BYTES_PER_OP * ops:
    faults.append(f"the libraries weigh {total // ops} bytes stripped for each of {ops} ops, at most {BYTES_PER_OP}")
for family, most in BYTES_PER_ROW.items():
    code, data = run("size", BUILD / f"frontend/CMakeFiles/wick.dir/ops/{family}.cpp.o").splitlines()[1].split()[:2]
    rows = len(re.findall(r"^TH_[A-Z]+\(", text(f"include/TH/ops/{family}.def"), re.M))
    if int(code) + int(data) > most * rows:
        faults.append(f"{family}.cpp takes {(int(code) + int(data)) // rows} bytes for each of {rows} ops, at most {most}")

# Loading ours on top of what they depend on, which is loaded first.
loader = """
import ctypes, re, subprocess, sys, time
libraries = sys.argv[1:]
for line in subprocess.run(["ldd", libraries[-1]], capture_output=True, text=True).stdout.splitlines():
    found = re.search(r"=> (/\\S+)", line)
    if found and not re.search(r"lib(TH|THNN|wick)\\.so", found.group(1)):
        ctypes.CDLL(found.group(1))
start = time.perf_counter()
for library in libraries:
    ctypes.CDLL(library)
print(time.perf_counter() - start)
"""
paths = [str(BUILD.resolve() / "lib" / f"lib{name}.so") for name in EXPORTS]
seconds = min(float(run(sys.executable, "-c", loader, *paths)) for _ in range(5))
if seconds > LOAD_SECONDS:
    faults.append(f"loading takes {seconds * 1e3:.1f} ms, at most {LOAD_SECONDS * 1e3:.0f} ms")
finish("libraries", faults, f"{total / 1e6:.2f} MB stripped, {total / ops / 1e3:.1f} KB for each of {ops} ops, loaded in {seconds * 1e3:.1f} ms")
