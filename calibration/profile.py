#!/usr/bin/env python3
"""Measures the computes of an events list with PyTorch, on a GPU or a CPU.

    foreflow events SCENARIO.json --csv events.csv
    calibration/profile.py events.csv -o times.csv [--device cuda] [--warm-up 10] [--repeat 50]
    foreflow calibrate times.csv -o calibration/mine.json

A row is measured when its op has a line in OPS below; the others are named on stderr and left out, never guessed. Each time is the median
of `repeat` executions after `warm-up` ones; on a GPU by CUDA events, and with the cache overwritten before each.
"""
import argparse
import csv
import re
import statistics
import sys
import time

import torch

TYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64}

# Op -> what PyTorch runs on its operands.
OPS = {
    "MatMul": lambda x, w: x @ w,
    "Gemm": lambda x, w, *bias: torch.addmm(bias[0], x, w) if bias else x @ w,
    "MatMulGrad": lambda x, w, dy: (dy @ w.T, x.flatten(0, -2).T @ dy.flatten(0, -2)),
    "Add": lambda x, y: x + y,
    "Sub": lambda x, y: x - y,
    "Mul": lambda x, y: x * y,
    "Relu": torch.relu,
    "Gelu": torch.nn.functional.gelu,
    "Sigmoid": torch.sigmoid,
    "Tanh": torch.tanh,
    "Softmax": lambda x: torch.softmax(x, -1),
    "LayerNormalization": lambda x, scale, *bias: torch.nn.functional.layer_norm(x, scale.shape, scale, *bias),
    "Transpose": lambda x: x.transpose(-1, -2).contiguous(),
}


def operands(signature, device):
    """Random tensors of the operand types in "MatMul{..}(f16[4x8] f16[8x2]) -> f16[4x2]"; None where one has no tensor type."""
    inside = signature.split(" -> ")[0].rpartition("(")[2].rstrip(")")
    tensors = []
    for word in inside.split():
        found = re.fullmatch(r"(\w+)\[([\dx]*)\]", word)
        if not found or found[1] not in TYPES:
            return None
        shape = [int(size) for size in found[2].split("x") if size]
        tensors.append(torch.randn(shape, device=device).to(TYPES[found[1]]))
    return tensors


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("events")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--warm-up", type=int, default=10)
    parser.add_argument("--repeat", type=int, default=50)
    options = parser.parse_args()
    name = torch.cuda.get_device_name() if options.device == "cuda" else "CPU"
    print(f"{name}, torch {torch.__version__}, CUDA {torch.version.cuda}", file=sys.stderr)
    with open(options.events, newline="") as source, open(options.output, "w", newline="") as target:
        rows = csv.DictReader(source)
        writer = csv.DictWriter(target, rows.fieldnames, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            tensors = operands(row["signature"], options.device) if row["op"] in OPS else None
            if row["kind"] != "compute" or tensors is None:
                print(f"not measured: {row['signature']}", file=sys.stderr)
                continue
            times = seconds_of(lambda: OPS[row["op"]](*tensors), options.device, options.warm_up, options.repeat)
            row.update(count=len(times), seconds=statistics.median(times), seconds_min=min(times))
            writer.writerow(row)


if __name__ == "__main__":
    main()
