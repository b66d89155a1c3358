# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch's times for what wick_bench measures: lines "<benchmark> <nanoseconds>", the least of many short runs."""
import time

import torch
from torch import nn
from torch.nn import functional as F

N = 1 << 20
RUNS, SECONDS = 15, 0.01


def least(f):
    f()
    start, count = time.process_time(), 0
    while time.process_time() - start < SECONDS:
        f()
        count += 1
    best = float("inf")
    for _ in range(RUNS):
        start = time.process_time()
        for _ in range(count):
            f()
        best = min(best, (time.process_time() - start) / count)
    return best * 1e9


def three_ops(x, w, b):
    (x * w + b).sum().backward()
    x.grad = None


def conv_backward(x, w, g):
    F.conv2d(x, w, padding=1).backward(g)
    x.grad = w.grad = None


def mlp_step():
    x, target = torch.randn(32, 64), torch.randint(0, 10, (32,))
    net = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
    sgd = torch.optim.SGD(net.parameters(), lr=1e-3, momentum=0.9)

    def step():
        sgd.zero_grad()
        F.cross_entropy(net(x), target).backward()
        sgd.step()

    return step


torch.set_num_threads(1)
small = [torch.randn(10) for _ in range(3)]
leaves = [torch.randn(10, requires_grad=True) for _ in range(2)]
a, b = torch.randn(N), torch.randn(N)
m = torch.randn(512, 512)
x, w, g = torch.randn(8, 16, 28, 28), torch.randn(32, 16, 3, 3), torch.randn(8, 32, 28, 28)
rows = torch.randn(512, 1024)
measured = {
    "add_10": lambda: small[0] + small[1],
    "add_10_recording": lambda: leaves[0] + leaves[1],
    "three_ops_backward": lambda: three_ops(leaves[0], small[1], small[2]),
    "add_1M": lambda: a + b,
    "exp_1M": a.exp,
    "tanh_1M": a.tanh,
    "sigmoid_1M": a.sigmoid,
    "relu_1M": a.relu,
    "sum_1M": a.sum,
    "softmax_512x1024": lambda: rows.softmax(1),
    "normal_1M": b.clone().normal_,
    "mm_512": lambda: m @ m,
    "conv2d": lambda: F.conv2d(x, w, padding=1),
    "conv2d_backward": lambda p=x.clone().requires_grad_(), q=w.clone().requires_grad_(): conv_backward(p, q, g),
    "mlp_step": mlp_step(),
}
for name, f in measured.items():
    print(name, f"{least(f):.1f}", flush=True)
