#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes test/frontend/io/golden/python.safetensors with the Python package `safetensors` (and numpy).

    safetensors_golden.py [--check FILE]

With --check it reads a file that Wick wrote from the same tensors and compares them.
"""
import pathlib
import sys

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

METADATA = {"maker": "python", "note": "größe"}
TENSORS = {
    "bool": np.array([[True, False, True], [False, False, True]]),
    "u8": np.array([0, 1, 255], np.uint8),
    "i8": np.array([-128, 0, 127], np.int8),
    "i16": np.array([[-32768], [32767]], np.int16),
    "i32": np.array([-(2**31), 2**31 - 1], np.int32),
    "i64": np.array([-(2**63), 2**63 - 1], np.int64),
    "f16": np.array([0.5, -2.0, 65504.0], np.float16),
    "f32": np.arange(24, dtype=np.float32).reshape(2, 3, 4) / 8,
    "f64": np.array([1e300, -1e-300, np.inf]),
    "scalar": np.array(2.5, np.float64),
    "empty": np.zeros((0, 3), np.float32),
    "layer.0.weight": np.ones((1, 2), np.float32),
}


def main():
    if sys.argv[1:2] == ["--check"]:
        with safe_open(sys.argv[2], "numpy") as f:
            assert f.metadata() == METADATA, f.metadata()
            assert sorted(f.keys()) == sorted(TENSORS), f.keys()
            for name, want in TENSORS.items():
                got = f.get_tensor(name)
                assert got.dtype == want.dtype and got.shape == want.shape and got.tobytes() == want.tobytes(), name
        print("equal")
    else:
        root = pathlib.Path(__file__).resolve().parents[2]
        save_file(TENSORS, root / "test/frontend/io/golden/python.safetensors", metadata=METADATA)


if __name__ == "__main__":
    main()
