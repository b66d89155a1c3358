# SPDX-License-Identifier: BSD-3-Clause
"""Writes the programs in a Markdown file, which stand in fences ```c and ```cpp, into a folder: 1.c, 2.cpp, ..."""
import pathlib
import re
import sys

source, folder = sys.argv[1:]
fences = re.findall(r"^```(c|cpp)\n(.*?)^```$", pathlib.Path(source).read_text(), re.MULTILINE | re.DOTALL)
programs = [(language, text) for language, text in fences if "int main(" in text]
missing = {"c", "cpp"} - {language for language, _ in programs}
if missing:
    sys.exit(f"{source} has no program in {', '.join(sorted(missing))}")
for number, (language, text) in enumerate(programs, 1):
    pathlib.Path(folder, f"{number}.{language}").write_text(text)
