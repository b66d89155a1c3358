# SPDX-License-Identifier: BSD-3-Clause
"""Sizes multiply by th_size_mul and th_size_product (lib/expr/sizes.h): a bare product that makes a count of elements or bytes, or
the argument of an allocation, may overflow. Steps inside an array that exists are no sizes."""
import re

from repository import files, finish, text

SIZE = r"(?:numel|nbytes|sizes?|count|n|chunk|filled|classes|channels|(?:\w+_)?(?:bytes|elements|plane|taps|weights|columns|tasks|blocks|pairs|slots|inner|outer|volume))"
LEFT = re.compile(rf"(?:^|[\s.>,(]){SIZE}(?:\[[^\]]*\])?\s*(\*?=)(?!=)\s*(.*)")
ALLOCATION = re.compile(r"\b(?:TH_alloc|malloc|calloc|realloc|aligned_alloc|resize|reserve)\((.*)")
PRODUCT = re.compile(r"[\w\])] \* [\w(]")
CONSTANT = re.compile(r"[A-Z][A-Z_0-9]+|\d+|(?:\(\w+\))?sizeof.*|.*\bndim")
OPERAND = r"(?:\(\w+\))?[\w.>\[\]-]+(?:\([^()]*\))?"


def bare(expression):
    """Whether a product in it has two operands that are no constants."""
    for a, b in re.findall(rf"({OPERAND}|\)) \* ({OPERAND}|\()", expression):
        if not any(CONSTANT.fullmatch(x) or x.startswith("(double)") for x in (a, b)):
            return True
    return False


def parts(line):
    """The line cut at the commas and semicolons outside brackets."""
    depth, start = 0, 0
    for i, c in enumerate(line):
        depth += (c in "([{") - (c in ")]}")
        if c in ",;" and depth <= 0:
            yield line[start:i]
            start = i + 1
    yield line[start:]


def statements(source):
    source = re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: "\n" * m.group().count("\n"), source, flags=re.S)
    source = re.sub(r'"(\\.|[^"\\\n])*"', '""', source)
    return enumerate(source.split("\n"), 1)


def main():
    faults, count = [], 0
    for path in files(".c", ".h", ".cpp", ".hpp"):
        if path.parts[0] not in ("lib", "frontend", "include") or "kernels" in path.parts or "examples" in path.parts:
            continue
        count += 1
        for number, line in statements(text(path)):
            if line.lstrip().startswith("#") or re.search(r"\b(double|float|Scalar|Tensor)\b[^(]*=", line):
                continue
            sizes = [m for m in map(LEFT.search, parts(line)) if m]
            allocation = ALLOCATION.search(line)
            if any(m[1] == "*=" or bare(m[2]) for m in sizes) or allocation and bare(allocation[1]):
                faults.append(f"{path}:{number} multiplies sizes bare, want th_size_mul: {line.strip()}")
    finish("products", faults, f"{count} files")


main()
