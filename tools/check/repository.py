# SPDX-License-Identifier: BSD-3-Clause
"""What the checks share: the files that git knows, and how a check ends."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def files(*suffixes):
    """Tracked and new files with one of the suffixes, relative to the root."""
    out = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard"], check=True, capture_output=True, text=True
    ).stdout
    return sorted(f for f in map(pathlib.Path, out.splitlines()) if f.suffix in suffixes and (ROOT / f).is_file())


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


def finish(name, faults, summary):
    for fault in faults:
        print(f"{name}: {fault}")
    print(f"{name}: {len(faults)} faults; {summary}")
    sys.exit(1 if faults else 0)
