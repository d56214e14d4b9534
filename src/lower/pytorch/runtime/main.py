# PROGRAMS[rank] = (device, function, files, teams, numbers). files() is (parameters, results); a parameter is (name,
# (shape, dtype)), or a list of those pairs for a tuple; a result is its name.

TENSOR_TYPES = {1: float32, 2: uint8, 3: int8, 5: int16, 6: int32, 7: int64, 9: boolean}
TENSOR_TYPES.update({10: torch.float16, 11: float64, 16: torch.bfloat16, 17: float8})
NPY_TYPES = {"f8": float64, "f4": float32, "f2": torch.float16}
NPY_TYPES.update({"i8": int64, "i4": int32, "i2": int16, "i1": int8, "u1": uint8, "b1": boolean})


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 128:
            return value, at


def read_tensor(path):
    """An ONNX TensorProto with raw data: field 1 dims, 2 data type, 9 the numbers."""
    with open(path, "rb") as file:
        data = file.read()
    shape, dtype, raw, at = [], float32, b"", 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
            shape += [value] if key >> 3 == 1 else []
            dtype = TENSOR_TYPES[value] if key >> 3 == 2 else dtype
        elif key & 7 == 2:
            size, at = varint(data, at)
            field, at = data[at : at + size], at + size
            if key >> 3 == 1:  # packed
                start = 0
                while start < size:
                    value, start = varint(field, start)
                    shape.append(value)
            raw = field if key >> 3 == 9 else raw
        else:
            at += {1: 8, 5: 4}[key & 7]
    numbers = torch.frombuffer(bytearray(raw), dtype=dtype) if raw else torch.empty(0, dtype=dtype)
    return numbers.reshape(shape)


def read_npy(data):
    form, start = ("<H", 10) if data[6] == 1 else ("<I", 12)
    (size,) = struct.unpack_from(form, data, 8)
    header = ast.literal_eval(data[start : start + size].decode("latin1"))
    shape, raw = header["shape"], bytearray(data[start + size :])
    numbers = torch.frombuffer(raw, dtype=NPY_TYPES[header["descr"][1:]]) if raw else torch.empty(0)
    if header["fortran_order"]:
        return numbers.reshape(shape[::-1]).permute(*range(len(shape))[::-1])
    return numbers.reshape(shape)


class Store:
    """Tensors by name: a folder of NAME.pb (ONNX TensorProto; NAME.0.pb .. for a tuple), FILE.npz or FILE.pt."""

    def __init__(self, path):
        self.path, self.tensors = path, {}
        if path.endswith(".npz"):
            with zipfile.ZipFile(path) as archive:
                self.tensors = {name[:-4]: read_npy(archive.read(name)) for name in archive.namelist()}
        elif not os.path.isdir(path):
            self.tensors = torch.load(path, map_location="cpu")

    def read(self, name, like=None):
        if isinstance(like, list):
            return tuple(self.read("%s.%d" % (name, i), element) for i, element in enumerate(like))
        file = os.path.join(self.path, name + ".pb")
        if name not in self.tensors and not os.path.exists(file):
            sys.exit("%s: has no tensor %s" % (self.path, name))
        tensor = self.tensors[name] if name in self.tensors else read_tensor(file)
        if like is not None and tuple(tensor.shape) != like[0]:
            sys.exit("%s: %s is %s; %s would be right" % (self.path, name, tuple(tensor.shape), like[0]))
        return tensor.to(device) if like is None else tensor.to(device=device, dtype=like[1])


def random_tensor(like, generator):
    """Floats in [0, 0.02), which suits variances too; integers 0 or 1, which index any table of two rows."""
    if isinstance(like, list):
        return tuple(random_tensor(element, generator) for element in like)
    shape, dtype = like
    if dtype.is_floating_point:
        return (torch.rand(shape, generator=generator, device=device) * 0.02).to(dtype)
    return torch.randint(0, 2, shape, generator=generator, device=device).to(dtype)


def difference(ours, expected):
    """The largest difference over the largest expected magnitude; infinite where shapes or NaNs differ."""
    if isinstance(ours, tuple):
        return max(difference(a, b) for a, b in zip(ours, expected))
    if ours.shape != expected.shape:
        return inf
    a, b = ours.to(float64).reshape(-1), expected.to(float64).reshape(-1)
    gap = torch.where((a == b) | (a.isnan() & b.isnan()), torch.zeros_like(a), (a - b).abs())
    worst = gap.max().item() if gap.numel() else 0.0
    return 0.0 if worst == 0 else inf if worst != worst else worst / (b.abs().max().item() or 1.0)


def like_of(x):
    return [like_of(element) for element in x] if isinstance(x, tuple) else (tuple(x.shape), x.dtype)


def check(names, results, folder, tolerance):
    store, worst = Store(folder), (0.0, "none")
    for name, ours in zip(names, results):
        worst = max(worst, (difference(ours, store.read(name, like_of(ours))), name))
    ok = worst[0] <= tolerance
    row = "rank %d: %d results, worst difference %.3g (%s)%s\n"
    sys.stdout.write(row % (dist.get_rank(), len(names), *worst, "" if ok else ": TOO LARGE"))
    return ok


iterations = []  # [begin, end] of each one after the warm-up, by the clock that all processes of a machine share
spans = []  # (op, signature, begin, end) of each op that ran in them


def timed(op, signature, run):
    synchronise()
    begin = time.perf_counter()
    result = run()
    synchronise()
    end = time.perf_counter()
    spans.append((op, with_numbers(signature), begin, end))
    return result


@functools.lru_cache(maxsize=None)
def with_numbers(signature):
    """The signature on this rank: a line that ranks share names what differs between them, but not in its strings."""
    string_or_number = r'"(?:[^"\\]|\\.)*"|\(numbers\[\d+\] [+-] \d+\)|numbers\[\d+\]'
    return re.sub(string_or_number, lambda match: match[0] if match[0][0] == '"' else str(eval(match[0])), signature)


def synchronise():
    if device.type == "cuda":
        torch.cuda.synchronize()


class Timing(ast.NodeTransformer):
    """Puts timed(...) around every statement that names its op and signature in a comment behind it."""

    def __init__(self, lines):
        self.lines = lines

    def visit_Assign(self, node):
        return self.wrap(node)

    def visit_Expr(self, node):
        return self.wrap(node)

    def wrap(self, node):
        behind = self.lines[node.lineno - 1].encode()[node.end_col_offset :].decode()
        mark = re.match(r"  # ((\w+).*)$", behind)
        if mark and node.col_offset > 0:
            run = ast.Lambda(ast.arguments([], [], None, [], [], None, []), node.value)
            words = [ast.Constant(mark[2]), ast.Constant(mark[1])]
            node.value = ast.Call(ast.Name("timed", ast.Load()), words + [run], [])
        return node


def with_timing(function):
    """The same function, and those that it calls, from this script compiled again with their ops timed."""
    with open(__file__) as file:
        text = file.read()
    first, last = text.index("# --- program"), text.index("# --- end of program")
    text = "\n" * text.count("\n", 0, first) + text[first:last]
    tree = ast.fix_missing_locations(Timing(text.split("\n")).visit(ast.parse(text)))
    names = dict(globals())
    exec(compile(tree, __file__, "exec"), names)
    return names[function.__name__]


def from_everyone(mine):
    """What every rank brings, by rank; on the first only."""
    everyone = [None] * dist.get_world_size()
    dist.all_gather_object(everyone, mine)
    return everyone if dist.get_rank() == 0 else None


def write_text(path, text):
    if path == "-":
        sys.stdout.write(text)
        return
    with open(path, "w") as file:
        file.write(text)


def write_times(path):
    """rank,op,signature,count,mean_s of every rank, written by the first."""
    times = {}
    for op, signature, begin, end in spans:
        entry = times.setdefault((op, signature), [0, 0.0])
        entry[0] += 1
        entry[1] += end - begin
    everyone = from_everyone(sorted(times.items()))
    rows = ["rank,op,signature,count,mean_s"]
    for rank, entries in enumerate(everyone or []):
        for (op, signature), (count, total) in entries:
            rows.append('%d,%s,"%s",%d,%.9g' % (rank, op, signature.replace('"', '""'), count, total / count))
    if everyone:
        write_text(path, "\n".join(rows) + "\n")


def write_log(path):
    """Of every rank its iterations, [begin, end], and its ops, [number of the signature, begin, end], as JSON."""
    numbers = {}
    ops = [[numbers.setdefault(signature, len(numbers)), begin, end] for _, signature, begin, end in spans]
    everyone = from_everyone({"iterations": iterations, "signatures": list(numbers), "ops": ops})
    if everyone:
        write_text(path, json.dumps({"ranks": everyone}) + "\n")


def parse_options():
    example = "torchrun --nproc-per-node %d %s" % (len(PROGRAMS), sys.argv[0])
    parser = argparse.ArgumentParser(description="Run with: " + example)
    add = parser.add_argument
    add("--backend", choices=["gloo", "nccl"], help="gloo (CPU) or nccl (GPU); nccl where there are GPUs")
    add("--iterations", type=int, default=1, help="timed runs of the program (1)")
    add("--warmup", type=int, default=0, help="runs before them that are not timed (0)")
    add("--time-ops", metavar="FILE", help="write the mean time of every op as CSV (- for stdout)")
    add("--in-turn", action="store_true", help="with --time-ops: time the ops of two iterations in three")
    add("--log", metavar="FILE", help="write when iterations, and with --time-ops ops, began and ended as JSON")
    add("--weights", metavar="PATH", help="parameters: a folder of NAME.pb (ONNX), FILE.npz, FILE.pt; random without")
    add("--seed", type=int, default=0, help="of random parameters (0)")
    add("--float32", action="store_true", help="compute 16-bit floats in 32 bits, for which CPUs have kernels")
    add("--check", metavar="DIR", help="read DIR/inputs/NAME.pb, compare with DIR/outputs/NAME.pb")
    add("--tolerance", type=float, default=1e-5, help="of --check, relative to the largest number (1e-5)")
    options = parser.parse_args()
    if options.iterations < 1 or options.warmup < 0:
        parser.error("--iterations must be 1 or more, --warmup 0 or more")
    return options


def launch():
    """Starts every rank on this machine, as torchrun would; ends them all when one fails."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    common = {"WORLD_SIZE": str(len(PROGRAMS)), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    command = [sys.executable] + sys.argv
    ranks = [dict(os.environ, RANK=str(rank), LOCAL_RANK=str(rank), **common) for rank in range(len(PROGRAMS))]
    running = [subprocess.Popen(command, env=environment) for environment in ranks]
    failed = False
    while running:
        time.sleep(0.05)
        failed = failed or any(child.poll() for child in running)
        running = [child for child in running if child.poll() is None]
        for child in running if failed else []:
            child.terminate()
    sys.exit(1 if failed else 0)


def start(backend):
    global device
    backend = backend or ("nccl" if torch.cuda.is_available() else "gloo")
    if int(os.environ["WORLD_SIZE"]) != len(PROGRAMS):
        sys.exit("%s is written for %d processes (--nproc-per-node)" % (sys.argv[0], len(PROGRAMS)))
    if backend == "nccl":
        device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
        torch.cuda.set_device(device)
    dist.init_process_group(backend)
    for ranks in GROUPS:  # in the same order on every rank
        groups[ranks] = dist.new_group(list(ranks))


def main():
    options = parse_options()
    if "WORLD_SIZE" not in os.environ:
        launch()
    start(options.backend)
    _, program, files, own_teams, own_numbers = PROGRAMS[dist.get_rank()]
    teams.extend(own_teams)
    numbers.extend(own_numbers)
    parameters, names = files()
    weights = options.weights or (options.check and os.path.join(options.check, "inputs"))
    if weights:
        store = Store(weights)
        arguments = [store.read(name, like) for name, like in parameters]
    else:
        generator = torch.Generator(device=device).manual_seed(options.seed)
        arguments = [random_tensor(like, generator) for _, like in parameters]
    whole = program
    if options.time_ops:
        program = with_timing(program)
    seconds = []
    with torch.no_grad():
        for iteration in range(options.warmup + options.iterations):
            if iteration == options.warmup:
                iterations.clear()
                spans.clear()
            synchronise()
            dist.barrier()
            run = whole if options.in_turn and (iteration - options.warmup) % 3 == 0 else program
            begin = time.perf_counter()
            results = run(*arguments)
            synchronise()
            end = time.perf_counter()
            iterations.append([begin, end])
            slowest = torch.tensor([end - begin], dtype=float64, device=device)
            dist.all_reduce(slowest, op=dist.ReduceOp.MAX)
            seconds.append(slowest.item())
    seconds = seconds[options.warmup :]
    if dist.get_rank() == 0 and seconds:
        row = "iteration: mean %.6g s, least %.6g s of %d\n"
        sys.stdout.write(row % (sum(seconds) / len(seconds), min(seconds), len(seconds)))
    if options.time_ops:
        write_times(options.time_ops)
    if options.log:
        write_log(options.log)
    ok = True
    if options.check:
        results = () if results is None else (results,) if len(names) == 1 else results
        ok = check(names, results, os.path.join(options.check, "outputs"), options.tolerance)
    sys.stdout.flush()
    dist.barrier()
    dist.destroy_process_group()
    sys.exit(0 if ok else 1)


if __name__ == "__main__":
    main()
