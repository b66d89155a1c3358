#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# tools/twins lists what is dispatched, and what a device library lacks of it.
#
#     check_twins.sh TWINS LIBWICK FAKE_LIBRARY
set -euo pipefail
fault() { echo "$*" >&2; exit 1; }
all=$("$1" "$2")
for name in TH_add TH_full TH_fill TH_cat TH_uniform THNN_conv2d THNN_batch_norm THNN_softmax; do
    grep -qx "$name" <<<"$all" || fault "got no $name among the dispatched functions"
done
! grep -q THTensor_ <<<"$all" || fault "got a structure function among the dispatched ones"
if missing=$("$1" "$2" "$3" TH=FAKE THNN=FAKENN); then fault "got success for a library of a few functions"; fi
for name in FAKE_tan FAKENN_conv2d; do
    grep -qx "$name" <<<"$missing" || fault "got no $name among those that are missing"
done
for name in FAKE_add FAKE_fill FAKENN_softmax; do
    ! grep -qx "$name" <<<"$missing" || fault "got $name as missing"
done
[[ $(wc -l <<<"$missing") -lt $(wc -l <<<"$all") ]] || fault "got as many missing functions as there are"
