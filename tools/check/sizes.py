# SPDX-License-Identifier: BSD-3-Clause
"""Files and functions stay small enough to read (limits: CONTRIBUTING.md)."""
import re

from repository import files, finish, text

HARD = {".c": 800, ".cpp": 800, ".h": 500, ".hpp": 500, ".inc": 300, ".def": 200, ".py": 300, ".cmake": 150}
TEST = 1000
FUNCTION = 60


def functions(lines):
    """(name line, length) of top-level functions: a line that ends in `) {` or `const {` without indent, up to a lone `}`."""
    start = None
    for i, line in enumerate(lines):
        if start is None and line.endswith("{") and not line[:1].isspace() and re.search(r"\)\s*(const|noexcept|override|\s)*\{$", line):
            start = i
        elif start is not None and line.rstrip() == "}":
            yield start, i - start + 1
            start = None


faults, longest = [], 0
everything = files(*HARD)
for path in everything:
    lines = text(path).splitlines()
    limit = TEST if path.parts[0] == "test" and path.suffix in (".c", ".cpp", ".def") else HARD[path.suffix]
    longest = max(longest, len(lines))
    if len(lines) > limit:
        faults.append(f"{path} has {len(lines)} lines, at most {limit}")
    if "SPDX-License-Identifier: BSD-3-Clause" not in "".join(lines[:2]):
        faults.append(f"{path} has no licence line at its head")
    if path.suffix in (".c", ".cpp", ".inc") and path.parts[0] != "test":
        for start, length in functions(lines):
            if length > FUNCTION:
                faults.append(f"{path}:{start + 1} is a function of {length} lines, at most {FUNCTION}")
finish("sizes", faults, f"{len(everything)} files, the longest {longest} lines")
