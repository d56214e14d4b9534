#!/usr/bin/env python3
"""Measures the computes of an events list with PyTorch, on a GPU or a CPU.

    foreflow events SCENARIO.json --csv events.csv
    calibration/profile.py events.csv -o times.csv [--device cuda] [--warm-up 10] [--repeat 50]
    foreflow calibrate times.csv -o calibration/mine.json

A row is measured when its op has a line in OPS below; the others are named on stderr and left out, never guessed. Each time is the median
of `repeat` executions after `warm-up` ones; on a GPU by CUDA events, and with the cache overwritten before each. Comments at the head of the
output say on what, with which clocks and versions.
"""
import argparse
import ast
import csv
import re
import statistics
import subprocess
import sys
import time

import torch
import torch.nn.functional as F

TYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64}


def gemm(x, w, *bias, transA=0, transB=0):
    x, w = x.T if transA else x, w.T if transB else w
    return torch.addmm(bias[0], x, w) if bias else x @ w


def fused_attention(q, k, v, scale, causal):
    """Heads of keys that several heads of queries share are in q: [b,n,g,s,d]."""
    if q.dim() == 5:
        k, v = (t.unsqueeze(2).expand(*q.shape[:3], *t.shape[2:]) for t in (k, v))
    return F.scaled_dot_product_attention(q, k, v, is_causal=bool(causal), scale=scale)


def adam(weight, gradient, mean, variance):
    """In place, as torch.optim.Adam updates one tensor."""
    mean.mul_(0.9).add_(gradient, alpha=0.1)
    variance.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
    return weight.addcdiv_(mean, variance.sqrt().add_(1e-8), value=-1e-3)


# Op -> (what PyTorch runs on its operands, the attributes that it takes). An event with other attributes is not measured.
OPS = {
    "MatMul": (torch.matmul, {}),
    "Gemm": (gemm, {"transA", "transB"}),
    "MatMulGrad": (lambda x, w, dy: (dy @ w.mT, x.flatten(0, -2).T @ dy.flatten(0, -2)), {}),
    "Add": (torch.add, {}),
    "Sub": (torch.sub, {}),
    "Mul": (torch.mul, {}),
    "Relu": (torch.relu, {}),
    "Gelu": (lambda x, approximate="none": F.gelu(x, approximate=approximate), {"approximate"}),
    "Sigmoid": (torch.sigmoid, {}),
    "Tanh": (torch.tanh, {}),
    "Softmax": (lambda x, axis=-1: torch.softmax(x, axis), {"axis"}),
    "LayerNormalization": (
        lambda x, scale, *bias, axis=-1, epsilon=1e-5: F.layer_norm(x, x.shape[axis:], scale, *bias, eps=epsilon),
        {"axis", "epsilon"},
    ),
    "Transpose": (lambda x, perm=None: x.permute(perm or range(x.dim())[::-1]).contiguous(), {"perm"}),
    "Concat": (lambda *xs, axis: torch.cat(xs, axis), {"axis"}),
    "ReduceSum": (lambda x, axes, keepdims=1: x.sum(axes, keepdim=bool(keepdims)), {"axes", "keepdims"}),
    "BlockAttention": (fused_attention, {"scale", "causal"}),
    "AdamOptimizer": (adam, {}),
}

if not hasattr(F, "scaled_dot_product_attention"):  # before torch 2.1
    del OPS["BlockAttention"]


def attributes_of(signature):
    """{"transB": 1} of "Gemm{transB=1}(..) -> .."; None where a value is of no kind that is known here."""
    head = signature.split("(")[0] if "{" not in signature else signature[: signature.index("}") + 1]
    if "{" not in head:
        return {}
    found = re.findall(r'(\w+)=("[^"]*"|\[[^\]]*\]|[^\s}]+)', head[head.index("{") :])
    try:
        return {name: ast.literal_eval(value) for name, value in found}
    except (SyntaxError, ValueError):
        return None


def operands(signature, device):
    """Random tensors of the operand types in "MatMul{..}(f16[4x8] f16[8x2]) -> f16[4x2]"; None where one has no tensor type."""
    inside = signature.split(" -> ")[0].rpartition("(")[2].rstrip(")")
    tensors = []
    for word in inside.split():
        found = re.fullmatch(r"(\w+)\[([\dx]*)\]", word)
        if not found or found[1] not in TYPES:
            return None
        shape = [int(size) for size in found[2].split("x") if size]
        tensors.append(torch.rand(shape, device=device).to(TYPES[found[1]]))
    return tensors


def work_of(row, device):
    """What to run for a row of the events list; None: it is not known here."""
    if row["kind"] != "compute" or row["op"] not in OPS:
        return None
    run, known = OPS[row["op"]]
    attributes, tensors = attributes_of(row["signature"]), operands(row["signature"], device)
    if attributes is None or tensors is None or not set(attributes) <= set(known):
        return None
    return lambda: run(*tensors, **attributes)


def seconds_of(run, device, warm_up, repeat):
    """The times of `repeat` executions, in seconds."""
    for _ in range(warm_up):
        run()
    if device != "cuda":
        times = []
        for _ in range(repeat):
            begin = time.perf_counter()
            run()
            times.append(time.perf_counter() - begin)
        return times
    flush = torch.empty(256 * 1024 * 1024, dtype=torch.int8, device=device)
    times = []
    for _ in range(repeat):
        flush.zero_()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        run()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1e-3)
    return times


def machine(device):
    """What it runs on, and the versions of what it runs: for the comments at the head of the output."""
    name = torch.cuda.get_device_name() if device == "cuda" else "CPU"
    driver = nvidia_smi("driver_version") if device == "cuda" else "none"
    return f"{name}, driver {driver}, torch {torch.__version__}, CUDA {torch.version.cuda}, cuDNN {torch.backends.cudnn.version()}"


def clocks(device):
    return nvidia_smi("clocks.sm,clocks.mem,power.limit") if device == "cuda" else "clocks unknown"


def nvidia_smi(query):
    try:
        answer = subprocess.run(
            ["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"], capture_output=True, text=True, check=True, timeout=30
        )
        return answer.stdout.splitlines()[torch.cuda.current_device()]
    except (OSError, subprocess.SubprocessError, IndexError):
        return "unknown"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("events")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--warm-up", type=int, default=10)
    parser.add_argument("--repeat", type=int, default=50)
    options = parser.parse_args()
    print(machine(options.device), file=sys.stderr)
    with open(options.events, newline="") as source, open(options.output, "w", newline="") as target:
        target.write(f"# {machine(options.device)}\n# before: {clocks(options.device)}; warm-up {options.warm_up}, repeat {options.repeat}\n")
        rows = csv.DictReader(line for line in source if not line.startswith("#"))
        writer = csv.DictWriter(target, rows.fieldnames, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            run = work_of(row, options.device)
            if run is None:
                print(f"not measured: {row['signature']}", file=sys.stderr)
                continue
            times = seconds_of(run, options.device, options.warm_up, options.repeat)
            row.update(count=len(times), seconds=statistics.median(times), seconds_min=min(times))
            writer.writerow(row)
        target.write(f"# after: {clocks(options.device)}\n")


if __name__ == "__main__":
    main()
