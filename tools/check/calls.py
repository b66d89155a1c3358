# SPDX-License-Identifier: BSD-3-Clause
"""The frontend computes through call<> and its siblings (frontend/core/call.hpp) alone, which find the functions of other devices: a
function of TH or THNN that takes tensors stands there as a template argument, and is never called or pointed to elsewhere. THTensor_...
functions serve every device by themselves, as do those of the headers below."""
import re

from repository import files, finish, text

SERVE_ALL = ("TH/device.h", "TH/dtype.h", "TH/sys.h")
DECLARED = re.compile(r"\b(?:TH|THNN)_API\s+THStatus\s+((?:TH|THNN)_\w[\w#]*)\(([^;]*)\);", re.S)
BARE = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def declared():
    """Patterns of the names of the functions that take tensors; TH_##name stands for every row of a list."""
    names = set()
    for path in files(".h"):
        if path.parts[0] == "include" and not str(path).endswith(SERVE_ALL):
            for name, parameters in DECLARED.findall(BARE.sub(blank, text(path)).replace("\\\n", " ")):
                if "THTensor *" in parameters or "THTensor **" in parameters:
                    names.add(re.escape(name) if "##" not in name else None)
    names.discard(None)
    for path in files(".def"):
        if path.parts[:2] in (("include", "TH"), ("include", "THNN")) and path.parts[2] == "ops":
            prefix = f"{path.parts[1]}_"
            for name in re.findall(r"^TH(?:NN)?_[A-Z_]+\((\w+)", text(path), re.M):
                names.add(prefix + name + ("(?:_backward)?" if prefix == "THNN_" else ""))
    return names


def main():
    names = declared()
    # TH_##fn in a macro is one of them too.
    mention = re.compile(rf"\b(?:{'|'.join(sorted(names, key=len, reverse=True))}|TH(?:NN)?_##\w+(?:##\w+)*)\b")
    argument = re.compile(r"[<,]\s*$")
    faults, count = [], 0
    for path in files(".cpp", ".hpp"):
        if path.parts[0] not in ("frontend", "include") or "examples" in path.parts:
            continue
        source = BARE.sub(blank, text(path))
        for found in mention.finditer(source):
            count += 1
            before, after = source[: found.start()], source[found.end() :].lstrip()
            if not argument.search(before[-40:]) or after[:1] not in (">", ","):
                line = before.count("\n") + 1
                faults.append(f"{path}:{line} computes past call<>: {source.splitlines()[line - 1].strip()}")
    finish("calls", faults, f"{len(names)} functions, {count} calls")


main()
