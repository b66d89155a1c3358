# SPDX-License-Identifier: BSD-3-Clause
"""Every source has its test under the same stem: lib/TH/ops/reduce.c <-> test/TH/test_reduce.c, frontend/nn/conv.cpp <-> test/frontend/nn/test_conv.cpp."""
import pathlib

from repository import ROOT, files, finish, text

# Sources that are tested under another stem: file -> (the test, why).
ELSEWHERE = dict(
    line.split(None, 1) for line in text("tools/check/mirror.txt").splitlines() if line and not line.startswith("#")
)


def test_of(path):
    if path.parts[0] == "lib" and path.parts[1] in ("TH", "THNN", "THC", "THCUNN") and path.parts[2] in ("core", "ops", "extern"):
        return pathlib.Path("test", path.parts[1], f"test_{path.stem}.c")
    if path.parts[0] == "frontend" and len(path.parts) == 3 and path.parts[1] != "examples":
        return pathlib.Path("test/frontend", path.parts[1], f"test_{path.stem}.cpp")
    return None


faults, count = [], 0
for path in files(".c", ".cpp"):
    test = test_of(path)
    if test is None:
        continue
    count += 1
    other = ELSEWHERE.pop(str(path), None)
    if other is not None:
        other = other.split()[0]
        if not (ROOT / other).is_file():
            faults.append(f"tools/check/mirror.txt names {other} for {path}, which does not exist")
        if (ROOT / test).is_file():
            faults.append(f"tools/check/mirror.txt lists {path}, which has {test} now")
    elif not (ROOT / test).is_file():
        faults.append(f"{path} has no {test}")
faults += [f"tools/check/mirror.txt lists {path}, which does not exist" for path in ELSEWHERE]
finish("mirror", faults, f"{count} sources")
