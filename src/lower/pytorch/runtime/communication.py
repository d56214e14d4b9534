def group(*ranks):
    return groups[tuple(sorted(set(ranks)))]


def gloo():
    return dist.get_backend() == "gloo"


def wire(t):
    """A contiguous tensor's numbers in a type that the backend moves: Gloo knows neither bool nor bfloat16."""
    return t.view(-1).view(torch.uint8) if gloo() and t.dtype in (torch.bool, torch.bfloat16) else t


def summand(t):
    """A copy that the backend may add to. Gloo adds no bfloat16."""
    t = t.clone(memory_format=torch.contiguous_format)
    return t.to(float32) if gloo() and t.dtype == torch.bfloat16 else t


def send(x, to):
    each(lambda t: dist.send(wire(t.contiguous()), to), x)


def receive(like, source):
    def one(t):
        dist.recv(wire(t), source)
        return t

    return each(one, empty(like))


def broadcast(x, like, source, ranks):
    def one(t):
        t = t.clone(memory_format=torch.contiguous_format)
        dist.broadcast(wire(t), source, group=group(source, *ranks))
        return t

    return each(one, empty(like) if x is None else x)


def reduce(x, like, ranks, to):
    """The sum of what `ranks` bring, on rank `to`, which need not be one of them."""

    def one(t):
        total = summand(t)
        dist.reduce(total, to, group=group(to, *ranks))
        return total.to(t.dtype)

    return each(one, each(torch.zeros_like, empty(like)) if x is None else x)


def all_reduce(x, ranks, op=dist.ReduceOp.SUM):
    def one(t):
        total = summand(t)
        dist.all_reduce(total, op=op, group=group(*ranks))
        return total.to(t.dtype)

    return each(one, x)


def all_gather(x, ranks, axis):
    def one(t):
        parts = [torch.empty(t.shape, dtype=t.dtype, device=device) for _ in ranks]
        dist.all_gather([wire(part) for part in parts], wire(t.contiguous()), group=group(*ranks))
        return torch.cat([parts[sorted(ranks).index(rank)] for rank in ranks], dim=axis)

    return each(one, x)


def reduce_scatter(x, ranks, axis):
    """NCCL scatters as it sums; Gloo sums everything everywhere, which moves about twice the bytes."""
    mine = ranks.index(dist.get_rank())

    def one(t):
        if gloo():
            return all_reduce(t, ranks).chunk(len(ranks), dim=axis)[mine].contiguous()
        parts = t.chunk(len(ranks), dim=axis)
        total = torch.empty(parts[mine].shape, dtype=t.dtype, device=device)
        parts = [parts[ranks.index(rank)].contiguous() for rank in sorted(ranks)]
        dist.reduce_scatter(total, parts, group=group(*ranks))
        return total

    return each(one, x)


def all_to_all(x, ranks, split_axis, concat_axis):
    """NCCL has it; with Gloo every pair exchanges a message."""
    parts = [part.contiguous() for part in x.chunk(len(ranks), dim=split_axis)]
    mine = ranks.index(dist.get_rank())
    received = [parts[mine] if i == mine else torch.empty_like(parts[mine]) for i in range(len(ranks))]
    if gloo():
        others = [i for i in range(len(ranks)) if i != mine]
        waiting = [dist.isend(wire(parts[i]), ranks[i]) for i in others]
        waiting += [dist.irecv(wire(received[i]), ranks[i]) for i in others]
        for message in waiting:
            message.wait()
    else:
        order = [ranks.index(rank) for rank in sorted(ranks)]
        dist.all_to_all([received[i] for i in order], [parts[i] for i in order], group=group(*ranks))
    return torch.cat(received, dim=concat_axis)


def ring_shift(x, ranks, by):
    """Round a ring: to the next rank (by=1) or to the one before (by=-1)."""
    mine = ranks.index(dist.get_rank())
    to, source = ranks[(mine + by) % len(ranks)], ranks[(mine - by) % len(ranks)]

    def one(t):
        t, got = t.contiguous(), torch.empty_like(t, memory_format=torch.contiguous_format)
        for message in [dist.isend(wire(t), to), dist.irecv(wire(got), source)]:
            message.wait()
        return got

    return each(one, x)


def gather(x, like, ranks, to, axis):
    """Messages to rank `to` in the order of the parts, with either backend."""
    if dist.get_rank() != to:
        return send(x, to)
    shape = list(like[0])
    shape[axis] //= len(ranks)
    return torch.cat([x if rank == to else receive((shape, like[1]), rank) for rank in ranks], dim=axis)


def scatter(x, like, source, ranks, axis):
    """Messages from rank `source` in the order of the parts, with either backend."""
    if dist.get_rank() != source:
        return receive(like, source)
    parts = x.chunk(len(ranks), dim=axis)
    for part, rank in zip(parts, ranks):
        if rank != source:
            send(part, rank)
    return parts[ranks.index(source)].contiguous() if source in ranks else None


def parts_on_mesh(rank, mesh, spec):
    """(part, parts) of each dimension of a tensor on the device at place `rank` of a mesh; spec as in "S01R"."""
    at = []
    for size in reversed(mesh):
        at.insert(0, rank % size)
        rank //= size
    shares = []
    for letter in re.findall("R|S[0-9]+", re.sub("[{}^]", "", spec)):
        part, parts = 0, 1
        for dim in map(int, letter[1:]):
            part, parts = part * mesh[dim] + at[dim], parts * mesh[dim]
        shares.append((part, parts))
    return shares


def box_on_mesh(rank, mesh, spec, shape):
    """The slice of a tensor of this shape on a device of a mesh: [start, stop) of each dimension."""
    shares = parts_on_mesh(rank, mesh, spec)
    return [(part * size // parts, (part + 1) * size // parts) for (part, parts), size in zip(shares, shape)]


def common_box(box, other):
    """What two boxes have in common; None if it is nothing."""
    both = [(max(a, c), min(b, d)) for (a, b), (c, d) in zip(box, other)]
    return both if all(a < b for a, b in both) else None


def place_in_box(box, outer):
    """The place of a box in the tensor that holds the box `outer`."""
    return tuple(slice(a - o, b - o) for (a, b), (o, _) in zip(box, outer))


def fill_box(t, box, pieces):
    """Writes to t, which holds `box`, what the pieces (their boxes and numbers) have of it."""
    for other, numbers in pieces:
        both = common_box(box, other)
        if both is not None:
            t[place_in_box(both, box)] = numbers[place_in_box(both, other)]
    return t


def room_for_box(box, dtype):
    return torch.empty([b - a for a, b in box], dtype=dtype, device=device)


def gather_boxes(t, boxes, ranks):
    """Each of `ranks` brings the numbers of its box; the numbers of all of them. Collectives move equal sizes."""
    counts = [prod(b - a for a, b in box) for box in boxes]
    mine = torch.zeros(max(counts), dtype=t.dtype, device=device)
    mine[: t.numel()] = t.reshape(-1)
    parts = [torch.empty_like(mine) for _ in ranks]
    dist.all_gather([wire(part) for part in parts], wire(mine), group=group(*ranks))
    order = [sorted(ranks).index(rank) for rank in ranks]
    return [parts[k][:n].reshape([b - a for a, b in box]) for k, n, box in zip(order, counts, boxes)]


def planned_pieces(pieces, ranks, jobs, dtype):
    """What a rank has after the communications of a plan: "broadcast 0 4 5|0:2 0:8" moves a box from member 0 of
    `ranks` to members 4 and 5. A rank sends only what it had or got before."""
    me = dist.get_rank()
    for job in jobs:
        head, *boxes = job.split("|")
        kind, *members = head.split()
        members = [ranks[int(member)] for member in members]
        if me not in members:
            continue
        boxes = [[tuple(map(int, bounds.split(":"))) for bounds in box.split()] for box in boxes]
        own = boxes[members.index(me)] if kind == "all_gather" else boxes[0]
        t = fill_box(room_for_box(own, dtype), own, pieces)
        if kind == "send":
            dist.send(wire(t), members[1]) if me == members[0] else dist.recv(wire(t), members[0])
        elif kind == "broadcast":
            dist.broadcast(wire(t), members[0], group=group(*members))
        else:
            pieces = pieces + list(zip(boxes, gather_boxes(t, boxes, members)))
            continue
        pieces = pieces + [(own, t)]
    return pieces


def reshard(x, like, sources, targets, source_mesh, source_spec, target_mesh, target_spec, jobs=None):
    """From the layout on `sources` to that on `targets`: by the communications of a plan, if there is one; else by a
    message for each slice that a target needs, from one of the ranks that have it, in turn."""
    me = dist.get_rank()
    local, mesh, spec = (x.shape, source_mesh, source_spec) if x is not None else (like[0], target_mesh, target_spec)
    shape = [size * parts for size, (_, parts) in zip(local, parts_on_mesh(0, mesh, spec))]
    boxes = {rank: box_on_mesh(place, source_mesh, source_spec, shape) for place, rank in enumerate(sources)}
    result = empty(like) if me in targets else None
    if jobs is not None:
        dtype = x.dtype if x is not None else result.dtype
        pieces = planned_pieces([(boxes[me], x)] if me in sources else [], sources + targets, jobs, dtype)
        if me in targets:
            fill_box(result, box_on_mesh(targets.index(me), target_mesh, target_spec, shape), pieces)
        return result
    holders = {}
    for rank, box in boxes.items():
        holders.setdefault(tuple(box), []).append(rank)
    waiting, arriving = [], []
    for place, target in enumerate(targets):
        wanted = box_on_mesh(place, target_mesh, target_spec, shape)
        for box, ranks in holders.items():
            both = common_box(box, wanted)
            sender = target if target in ranks else ranks[place % len(ranks)]
            if both is None or me not in (sender, target):
                continue
            theirs, mine = place_in_box(both, box), place_in_box(both, wanted)
            if sender == target:
                result[mine] = x[theirs]
            elif me == sender:
                waiting.append(dist.isend(wire(x[theirs].contiguous()), target))
            else:
                part = room_for_box(both, result.dtype)
                waiting.append(dist.irecv(wire(part), sender))
                arriving.append((mine, part))
    for message in waiting:
        message.wait()
    for mine, part in arriving:
        result[mine] = part
    return result
