def take(x, indices, axis):
    axis = axis_of(axis, x.dim())
    flat = torch.remainder(indices.reshape(-1).to(int64), x.shape[axis])
    return torch.index_select(x, axis, flat).reshape(x.shape[:axis] + indices.shape + x.shape[axis + 1 :])


def take_grad(indices, dy, shape, axis, dim):
    """Adds every row of dy to the row that it was taken from."""
    axis = axis_of(axis, dy.dim() - indices.dim() + 1)
    dim = dim if shape is None else ints(shape)[axis]
    before, after = dy.shape[:axis], dy.shape[axis + indices.dim() :]
    flat = torch.remainder(indices.reshape(-1).to(int64), dim)
    zero = torch.zeros(before + (dim,) + after, dtype=dy.dtype, device=dy.device)
    return zero.index_add(axis, flat, dy.reshape(before + (indices.numel(),) + after))


def take_part(x, indices, first, all):
    """Rows of a table of which x has those from `first` on; zeros for the others."""
    own = torch.remainder(indices.to(int64), all) - first
    here = (own >= 0) & (own < x.shape[0])
    rows = take(x, own * here, 0)
    return rows * here.reshape(here.shape + (1,) * (x.dim() - 1)).to(x.dtype)


def take_part_grad(indices, dy, first, all, dim):
    own = torch.remainder(indices.to(int64), all) - first
    here = (own >= 0) & (own < dim)
    return take_grad(own * here, dy * here.reshape(here.shape + (1,) * (dy.dim() - own.dim())).to(dy.dtype), None, 0, dim)


def take_elements(x, indices, axis):
    return torch.gather(x, axis, torch.remainder(indices.to(int64), x.shape[axis]))


def put_elements(x, indices, updates, axis, reduction):
    at = torch.remainder(indices.to(int64), x.shape[axis])
    if reduction == "none":
        return torch.scatter(x, axis, at, updates)
    name = {"add": "sum", "mul": "prod", "max": "amax", "min": "amin"}[reduction]
    return torch.scatter_reduce(x, axis, at, updates, reduce=name)


def take_nd(x, indices, batch_dims):
    depth = indices.shape[-1]
    batches = prod(x.shape[:batch_dims])
    rows = x.reshape((batches,) + x.shape[batch_dims:])
    chosen = indices.reshape(batches, -1, depth).to(int64)
    each_batch = [rows[b][tuple(chosen[b].t())] if depth else rows[b] for b in range(batches)]
    return torch.stack(each_batch).reshape(indices.shape[:-1] + x.shape[batch_dims + depth :])


def take_nd_grad(indices, dy, sizes, batch_dims):
    """Adds every slice of dy to the one that it was taken from."""
    lead = indices.shape[:-1]
    flat = torch.zeros(lead, dtype=int64, device=dy.device)
    for k, size in enumerate(sizes):
        flat = flat * size + torch.remainder(indices[..., k].to(int64), size)
    batches = prod(lead[:batch_dims])
    own = torch.arange(batches, device=dy.device).reshape(-1, 1) * prod(sizes)
    flat = (flat.reshape(batches, -1) + own).reshape(-1)
    slices = dy.shape[len(lead) :]
    zero = torch.zeros((batches * prod(sizes),) + slices, dtype=dy.dtype, device=dy.device)
    rows = dy.reshape((flat.numel(),) + slices)
    return zero.index_add(0, flat, rows).reshape(lead[:batch_dims] + tuple(sizes) + slices)


def put_nd(x, indices, updates, reduction):
    depth = indices.shape[-1]
    sizes = x.shape[:depth]
    flat = torch.zeros(indices.shape[:-1], dtype=int64, device=x.device)
    for k in range(depth):
        flat = flat * sizes[k] + torch.remainder(indices[..., k].to(int64), sizes[k])
    y = x.reshape((prod(sizes),) + x.shape[depth:]).clone()
    rows = updates.reshape((flat.numel(),) + x.shape[depth:])
    flat = flat.reshape(-1)
    if reduction == "none":
        y[flat] = rows
    elif reduction == "add":
        y.index_add_(0, flat, rows)
    else:
        name = {"mul": "prod", "max": "amax", "min": "amin"}[reduction]
        index = flat.reshape((-1,) + (1,) * (rows.dim() - 1)).expand_as(rows)
        y.scatter_reduce_(0, index, rows, reduce=name)
    return y.reshape(x.shape)


def one_hot(indices, depth, values, axis):
    (depth,) = ints(depth)
    place = torch.where(indices < 0, indices + depth, indices).unsqueeze(axis)
    shape = [1] * place.dim()
    shape[axis] = depth
    hot = place == torch.arange(depth, device=indices.device).reshape(shape)
    return torch.where(hot, values[1], values[0])


def pad(x, pads, axes, value, mode):
    pads, rank = ints(pads), x.dim()
    axes = [axis_of(axis, rank) for axis in (range(rank) if axes is None else ints(axes))]
    value = 0 if value is None else value.item() if torch.is_tensor(value) else value
    for i, axis in enumerate(axes):
        before, after, size = pads[i], pads[i + len(axes)], x.shape[axis]
        if mode == "constant":
            margins = [0, 0] * (rank - axis - 1) + [before, after]
            x = F.pad(x, margins, value=value)
            continue
        at = torch.arange(-before, size + after, device=x.device)
        if mode == "edge":
            at = at.clamp(0, size - 1)
        elif mode == "wrap":
            at = at.remainder(size)
        elif size > 1:  # reflect
            at = at.remainder(2 * size - 2)
            at = torch.minimum(at, 2 * size - 2 - at)
        else:
            at = torch.zeros_like(at)
        x = torch.index_select(x, axis, at)
    return x


def slice_of(x, starts, ends, axes, steps):
    starts, ends = ints(starts), ints(ends)
    axes = range(len(starts)) if axes is None else ints(axes)
    steps = [1] * len(starts) if steps is None else ints(steps)
    for axis, start, end, step in zip(axes, starts, ends, steps):
        size = x.shape[axis]
        if step < 0:  # slice(start, end) means before the first element where end is below -size
            at = range(size)[slice(start, end if end >= -size else None, step)]
            x = torch.index_select(x, axis, torch.tensor(list(at), dtype=int64, device=x.device))
        else:
            first, last, step = slice(start, end, step).indices(size)
            whole = (slice(None),) * axis_of(axis, x.dim())
            x = x[whole + (slice(first, max(first, last), step),)]
    return x


def top_k(x, k, axis, largest):
    """Of equal elements the first."""
    (k,) = ints(k)
    values, indices = torch.sort(x, dim=axis, descending=bool(largest), stable=True)
    return values.narrow(axis, 0, k), indices.narrow(axis, 0, k)


def top_k_mask(x, k):
    """Of equal elements the first."""
    order = torch.sort(x, dim=-1, descending=True, stable=True)[1]
    return torch.zeros_like(x, dtype=torch.bool).scatter(-1, order[..., :k], True)
