import argparse
import ast
import base64
import functools
import json
import os
import re
import socket
import struct
import subprocess
import sys
import time
import zipfile
from math import inf, nan, prod

import torch
import torch.distributed as dist
import torch.nn.functional as F

float64, float32 = torch.float64, torch.float32
# CPUs have few kernels for short floats.
float16, bfloat16 = (float32, float32) if "--float32" in sys.argv else (torch.float16, torch.bfloat16)
float8 = getattr(torch, "float8_e4m3fn", None)
int64, int32, int16, int8, uint8, boolean = (
    torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool)
device = torch.device("cpu")  # main() chooses
groups = {}  # sorted ranks -> process group
teams = []  # teams[k]: ranks that communicate, in the order of their parts, from this rank's row of PROGRAMS
numbers = []  # numbers[k]: a peer, an offset or a seed of this rank, where ranks share code; from the same row


def each(f, *xs):
    """f of tensors, leaf by leaf where they are tuples."""
    if isinstance(xs[0], tuple):
        return tuple(each(f, *parts) for parts in zip(*xs))
    return f(*xs)


def ints(x):
    """A list of integers from a tensor, a list or one integer. A tensor on a GPU is waited for."""
    return x.reshape(-1).tolist() if torch.is_tensor(x) else [x] if isinstance(x, int) else list(x)


@functools.lru_cache(maxsize=None)
def constant(values, shape, dtype):
    """Numbers, or their bytes in base 64; made once."""
    if isinstance(values, str):
        return torch.frombuffer(bytearray(base64.b64decode(values)), dtype=dtype).reshape(shape).to(device)
    return torch.tensor(values, dtype=dtype, device=device).expand(prod(shape)).reshape(shape)


def empty(like):
    """A tensor for (shape, dtype); a tuple for a list of them."""
    if isinstance(like, list):
        return tuple(empty(element) for element in like)
    return torch.empty(like[0], dtype=like[1], device=device)
