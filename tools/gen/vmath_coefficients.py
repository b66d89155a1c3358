#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the constants of lib/expr/vmath.h and lib/expr/normal.h.

    pip install mpmath
    python3 tools/gen/vmath_coefficients.py

Remez' exchange for rational functions P(u) / Q(u); the product of Q and the error, both unknown, takes Q from the round before. Coefficient after coefficient,
highest powers first, is rounded to float32 and the others are fitted again, so that they make up for what rounding changes.
"""
import struct

from mpmath import cos, cosh, erfc, exp, log, lu_solve, matrix, mp, mpf, pi, polyval, sqrt, tanh

mp.prec = 160
GRID = 1501  # odd: no point is the middle of the interval, where the error of exp is 0


def float32(x):
    return mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def value(c, u):
    return polyval([k or 0 for k in c[::-1]], u)


def extrema(error, count):
    """The places of the largest errors between changes of sign: `count` of them, or None if there are fewer."""
    at = []
    for i, e in enumerate(error):
        if not at or (error[at[-1]] > 0) != (e > 0):
            at.append(i)
        elif abs(e) > abs(error[at[-1]]):
            at[-1] = i
    while len(at) > count:
        at.pop(0 if abs(error[at[0]]) < abs(error[at[-1]]) else -1)
    return at if len(at) == count else None


def solve(points, p, q, before):
    """P and Q with relative errors of one size, times w, and alternating signs at the points (u, f, w). None stands for an unknown coefficient."""
    free = [(0, j) for j, c in enumerate(p) if c is None] + [(1, j) for j, c in enumerate(q) if c is None]
    a, b = matrix(len(free) + 1, len(free) + 1), matrix(len(free) + 1, 1)
    for row, (u, f, w) in enumerate(points):
        for column, (side, j) in enumerate(free):
            a[row, column] = -f * u**j if side else u**j
        a[row, len(free)] = (-1) ** row * f * w * value(before, u)
        b[row] = f * value(q, u) - value(p, u)
    found = iter(lu_solve(a, b))
    return [[next(found) if c is None else c for c in side] for side in (p, q)]


def remez(points, p, q):
    count = p.count(None) + q.count(None) + 1
    at = [int(GRID * (1 - cos(pi * (i + 0.5) / count)) / 2) for i in range(count)]
    fit = [p, [mpf(1)]]
    for _ in range(20):
        for _ in range(20):
            fit = solve([points[i] for i in at], p, q, fit[1])
        following = extrema(errors(points, *fit), count)
        if following in (None, at):
            break
        at = following
    return fit


def errors(points, p, q):
    return [(value(p, u) / value(q, u) / f - 1) / w for u, f, w in points]


def show(title, p, q, lo, hi, point):
    points = [point(lo + (hi - lo) * (1 - cos(pi * i / GRID)) / 2) for i in range(GRID + 1)]
    fit = [list(p), list(q)]
    for j in reversed(range(max(len(p), len(q)))):
        for side in (0, 1):
            if j < len(fit[side]) and fit[side][j] is None:
                fit[side][j] = float32(remez(points, *fit)[side][j])
    print(f"{title}: error {float(max(abs(e) for e in errors(points, *fit)) * 2**24):.2g} * 2^-24")
    for name, c in zip("PQ", fit):
        print(f"    {name}:", ", ".join(f"{float(k):.9g}f" for k in c))


one = mpf(1)
show("exp(x) = P(x)", [one, one] + [None] * 5, [one], -log(2) / 2, log(2) / 2, lambda x: (x, exp(x), one))
# tanh(x) = 2 t / (1 + t^2) turns a relative error of t into one that is cosh(x) times smaller.
show("tanh(x / 2) = x P(x^2) / Q(x^2)", [one] + [None] * 2, [2 * one] + [None] * 3, mpf(0), mpf("8.4"),
     lambda x: (x * x, tanh(x / 2) / x if x else one / 2, cosh(x)))
show("Phi(-a) exp(a^2 / 2) = P(a) / Q(a)", [one / 2] + [None] * 4, [one] + [None] * 5, mpf(0), mpf("14.7"),
     lambda a: (a, erfc(a / sqrt(mpf(2))) / 2 * exp(a * a / 2), one))
high = mpf(int(log(2) * 2**15)) / 2**15
print("log(2) =", float(high).hex(), "+", float(float32(log(2) - high)).hex(), "  1 / log(2) =", float(float32(1 / log(2))).hex())
