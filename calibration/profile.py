#!/usr/bin/env python3
"""Measures the computes of an events list with PyTorch, on a GPU or a CPU.

    foreflow events SCENARIO.json --csv events.csv
    calibration/profile.py events.csv -o times.csv [--device cuda] [--warm-up 10] [--repeat 50] [--seconds 1]
    foreflow calibrate times.csv -o calibration/mine.json

A row is measured when its op has a line in OPS of profile_ops.py; the others are named on stderr with the reason and left out, never
guessed. Each time is the median of `repeat` executions after `warm-up` ones, of fewer where they take more than `seconds`; on a GPU by
CUDA events, with the cache overwritten before each and all kernels of an op in the queue before the first one begins. Comments at the
head of the output say on what, with which clocks and versions.
"""
import argparse
import ast
import contextlib
import csv
import os
import re
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path = [path for path in sys.path if os.path.abspath(path) != HERE] + [HERE]  # last, as Python has a module `profile`

import torch

from profile_kernels import NotMeasured, Type, leaves
from profile_ops import OPS

TYPES = {
    "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
    "bool": torch.bool, "u8": torch.uint8, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
}  # fmt: skip
SLEEP_CLOCK = 1.5e9  # cycles a second of torch.cuda._sleep, about


def attributes_of(text):
    """{"transB": 1} of "transB=1"; the value of a tensor is its type, as text."""
    attributes = {}
    for name, value in re.findall(r'(\w+)=("[^"]*"|\[[^\]]*\]|[^\s}]+)', text or ""):
        try:
            attributes[name] = value if re.fullmatch(r"\w+\[[\dx]*\]", value) else ast.literal_eval(value)
        except (SyntaxError, ValueError):
            raise NotMeasured(f"attribute {name}={value}") from None
    return attributes


def types_of(text):
    """The types in "f16[4x8] _ (i64[] i64[])": None for what is absent, a list for a tuple."""
    stack = [[]]
    for word in re.findall(r"[()]|[^\s()]+", text):
        if word == "(":
            stack.append([])
        elif word == ")":
            done = stack.pop()
            stack[-1].append(done)
        elif word == "_":
            stack[-1].append(None)
        else:
            found = re.fullmatch(r"(\w+)\[([\dx]*)\]", word)
            if not found or found[1] not in TYPES:
                raise NotMeasured(f"type {word}")
            stack[-1].append(Type(TYPES[found[1]], [int(size) for size in found[2].split("x") if size]))
    return stack[0]


def operand(type, device, below, positive):
    """Random: floats are small, so that no type overflows; integers are below `below`."""
    if type is None:
        return None
    if not isinstance(type, Type):
        return tuple(operand(part, device, below, positive) for part in type)
    if type.dtype == torch.bool:
        return torch.rand(type.shape, device=device) < 0.5
    if not type.dtype.is_floating_point:
        low, high = (1, 2) if below is None else (0, below)
        return torch.randint(low, high, type.shape, device=device).to(type.dtype)
    numbers = torch.rand(type.shape, device=device).add_(0.5) if positive else torch.randn(type.shape, device=device)
    return numbers.mul_(0.02).to(type.dtype)


def work_of(signature, device):
    """What to run for "Gemm{transB=1}(f16[4x8] f16[2x8]) -> f16[4x2]", and the types of its results."""
    found = re.fullmatch(r"(\w+)(?:\{(.*?)\})?\((.*)\) -> (.*)", signature)
    if not found or found[1] not in OPS:
        raise NotMeasured("op is not in OPS")
    op = OPS[found[1]]
    attributes, types, results = attributes_of(found[2]), types_of(found[3]), types_of(found[4])
    unknown = [name for name in attributes if name not in op.attributes]
    if unknown:
        raise NotMeasured(f"attribute {unknown[0]}")
    below = op.below(types, attributes) if op.below else None
    operands = [operand(type, device, below, op.positive) for type in types]
    if op.prepared:
        return op.run(results, *operands, **attributes), results
    return lambda: op.run(*operands, **attributes), results


def check(given, wanted):
    """That results have the shapes of the signature, and the first one its type: else something else was run."""
    given, wanted = leaves(given), leaves(wanted)
    shapes = [None if x is None else list(x.shape) for x in given]
    if len(given) != len(wanted) or any(shape not in (None, type.shape) for shape, type in zip(shapes, wanted)):
        raise NotMeasured(f"PyTorch's results have the shapes {shapes}")
    if given[0].dtype != wanted[0].dtype:
        raise NotMeasured(f"PyTorch's result is of {given[0].dtype}")


def seconds_of(run, options, flush):
    """Times of executions, in seconds: `repeat` of them, or as many as `seconds` allow, but at least 3."""
    begin, cuda = time.perf_counter(), options.device == "cuda"
    for i in range(options.warm_up):
        run()
        if cuda:
            torch.cuda.synchronize()
        if time.perf_counter() - begin > options.seconds / 3:
            break
    host = time.perf_counter()
    if cuda:
        run()
        host = time.perf_counter() - host
        torch.cuda.synchronize()
    times = []
    while len(times) < 3 or len(times) < options.repeat and time.perf_counter() - begin < options.seconds:
        times.append(cuda_seconds(run, host, flush) if cuda else cpu_seconds(run))
    return times


def cpu_seconds(run):
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def cuda_seconds(run, host, flush):
    """The GPU waits for twice the time that the host takes to issue the kernels, so that they follow each other without gaps."""
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    flush.zero_()
    torch.cuda._sleep(int(2 * host * SLEEP_CLOCK))
    begin.record()
    run()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) * 1e-3


def measured(signature, options, flush):
    """The times of a row. Its tensors are free again when this returns."""
    with torch.enable_grad():
        run, results = work_of(signature, options.device)
        check(run(), results)
        return seconds_of(run, options, flush)


def machine(device):
    """What it runs on, and the versions of what it runs: for the comments at the head of the output."""
    name = torch.cuda.get_device_name() if device == "cuda" else "CPU"
    driver = nvidia_smi("driver_version") if device == "cuda" else "none"
    return f"{name}, driver {driver}, torch {torch.__version__}, CUDA {torch.version.cuda}, cuDNN {torch.backends.cudnn.version()}"


def is_of(kind, name):
    """Whether a row of "A100-SXM4-80GB" is of the GPU "NVIDIA A100-SXM4-80GB": its model is in the name, and its form if both have one."""
    own, here = (re.split("[- ]", text.upper()) for text in (kind, name))
    forms = [[word[:3] for word in words if word[:3] in ("SXM", "PCI")] for words in (own, here)]
    model = [word for word in own if word[:3] not in ("SXM", "PCI") and not word.endswith("GB")]
    return all(word in here for word in model) and (not all(forms) or forms[0] == forms[1])


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


def attention_kernels(name):
    """Within this, attention is computed by the library's kernels of that name where they can; by default PyTorch chooses."""
    if not name:
        return contextlib.nullcontext()
    from torch.nn.attention import SDPBackend, sdpa_kernel

    chosen = {"flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION, "efficient": SDPBackend.EFFICIENT_ATTENTION}
    return sdpa_kernel([chosen[name], SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH], set_priority=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("events")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--warm-up", type=int, default=10)
    parser.add_argument("--repeat", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=1, help="for one row at most, but 3 executions in any case (1)")
    parser.add_argument("--attention", choices=["flash", "cudnn", "efficient"], help="kernels of attention (what PyTorch chooses)")
    options = parser.parse_args()
    print(machine(options.device), file=sys.stderr)
    torch.backends.cudnn.benchmark = True
    csv.field_size_limit(1 << 30)  # an optimizer's signature may name thousands of tensors
    name = torch.cuda.get_device_name() if options.device == "cuda" else "CPU"
    flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda") if options.device == "cuda" else None
    with open(options.events, newline="") as source, open(options.output, "w", newline="") as target:
        how = f"warm-up {options.warm_up}, repeat {options.repeat}, seconds {options.seconds:g}, attention {options.attention or 'default'}"
        target.write(f"# {machine(options.device)}\n# before: {clocks(options.device)}; {how}\n")
        rows = csv.DictReader(line for line in source if not line.startswith("#"))
        writer = csv.DictWriter(target, rows.fieldnames, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            if row["kind"] != "compute":
                continue
            reason, times = "", []
            try:
                if row.get("device") and not is_of(row["device"], name):
                    raise NotMeasured(f"of {row['device']}; here is {name}")
                with attention_kernels(options.attention):
                    times = measured(row["signature"], options, flush)
            except Exception as error:  # of a kernel, or out of memory: the next row may do
                reason = (str(error) or type(error).__name__).splitlines()[0]
            if reason:
                print(f"not measured: {row['signature']}: {reason}", file=sys.stderr)
                if options.device == "cuda":
                    torch.cuda.empty_cache()
                continue
            row.update(count=len(times), seconds=statistics.median(times), seconds_min=min(times))
            writer.writerow(row)
            target.flush()
        target.write(f"# after: {clocks(options.device)}\n")


if __name__ == "__main__":
    main()
