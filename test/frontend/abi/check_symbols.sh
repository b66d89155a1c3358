#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What libwick exports: check_symbols.sh LIBRARY LIST HEADER. The C symbols, and the declarations of the header, are exactly those of the
# list; C++ symbols are of namespace wick.
set -eu
export LC_ALL=C
exported=$(nm -DC --defined-only "$1" | awk '$2 != "A"' | cut -d' ' -f3- | sed 's/@.*//')
differs() {
    sort -u | diff -u "$2" - >&2 && return 1
    echo "$1 differ from $2" >&2
}
failed=0
echo "$exported" | grep -v '::' | differs "exported C symbols" "$2" && failed=1
grep -oE '\bwick_[a-z0-9_]+\(' "$3" | tr -d '(' | differs "declarations" "$2" && failed=1
if echo "$exported" | grep '::' | grep -vE '^((vtable|VTT|typeinfo( name)?) for )?wick::' >&2; then
    echo "these exported C++ symbols are outside namespace wick" >&2
    failed=1
fi
exit $failed
