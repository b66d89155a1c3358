# SPDX-License-Identifier: BSD-3-Clause
"""docs/architecture.md draws the way of a call by the files on it: each of them exists."""
import re

from repository import ROOT, finish, text

PAGE = "docs/architecture.md"
FOLDERS = ["", "frontend", "include", "lib", "lib/TH", "lib/THNN"]  # where a shortened path may begin

names = sorted(set(re.findall(r"[\w/]*\w/\w+\.(?:cpp|hpp|c|h|inc|def|py)\b", text(PAGE))))
faults = [f"{PAGE} names {n}, which does not exist" for n in names if not any((ROOT / f / n).is_file() for f in FOLDERS)]
finish("docs", faults, f"{len(names)} files")
