def axis_of(axis, rank):
    return axis + rank if axis < 0 else axis


def adam(w, dw, m, v, master, lr, beta1, beta2, epsilon, weight_decay, step):
    """One step with bias correction (Kingma and Ba, 2015), with weight_decay AdamW's (Loshchilov and Hutter, 2019)."""
    m = each(lambda m, dw: beta1 * m + (1 - beta1) * dw.to(m.dtype), m, dw)
    v = each(lambda v, dw: beta2 * v + (1 - beta2) * dw.to(v.dtype) ** 2, v, dw)

    def one(w, m, v):
        change = m / (1 - beta1**step) / (torch.sqrt(v / (1 - beta2**step)) + epsilon)
        return w - lr * (change + weight_decay * w if weight_decay else change)

    w, master = stepped(one, w, master, m, v)
    return (w, m, v) if master is None else (w, m, v, master)


def momentum_step(w, dw, v, master, lr, momentum, nesterov):
    """Polyak, 1964; nesterov: Sutskever et al., 2013."""
    v = each(lambda v, dw: momentum * v + dw.to(v.dtype), v, dw)
    change = each(lambda v, dw: dw.to(v.dtype) + momentum * v, v, dw) if nesterov else v
    w, master = stepped(lambda w, change: torch.sub(w, change, alpha=lr), w, master, change)
    return (w, v) if master is None else (w, v, master)


def sgd(w, dw, master, lr):
    w, master = stepped(lambda w, dw: torch.sub(w, dw, alpha=lr), w, master, dw)
    return w if master is None else (w, master)


def stepped(step, w, master, *parts):
    """The weight and its master after the step; the step starts from the master, which the weight is rounded from."""
    start = w if master is None else master
    fresh = each(lambda start, *parts: step(start, *parts).to(start.dtype), start, *parts)
    return (fresh, None) if master is None else (each(lambda w, fresh: fresh.to(w.dtype), w, fresh), fresh)


def sgd_all(*operands, lr):
    half = len(operands) // 2
    return [sgd(w, dw, None, lr) for w, dw in zip(operands[:half], operands[half:])]


def arg_extreme(find, x, axis, keepdims, select_last_index):
    if not select_last_index:
        return find(x, dim=axis, keepdim=bool(keepdims))
    return x.shape[axis] - 1 - find(torch.flip(x, [axis]), dim=axis, keepdim=bool(keepdims))


def batch_norm(x, scale, bias, mean, variance, epsilon, momentum, training_mode, outputs):
    """In training with the batch's statistics, which follow y: blended with the old ones, and as they are."""
    if not training_mode:
        return F.batch_norm(x, mean, variance, scale, bias, training=False, eps=epsilon)
    rows = [axis for axis in range(x.dim()) if axis != 1]
    used = [x.to(mean.dtype).mean(dim=rows), x.to(variance.dtype).var(dim=rows, unbiased=False)]
    y = F.batch_norm(x, *used, scale, bias, training=False, eps=epsilon)
    blended = [old * momentum + fresh * (1 - momentum) for old, fresh in zip((mean, variance), used)]
    return (y, *blended, *used)[:outputs] if outputs > 1 else y


def batch_norm_grad(x, scale, mean, variance, dy, epsilon):
    """Of a normalisation by given statistics."""
    rows = [axis for axis in range(x.dim()) if axis != 1]
    by_channel = [1, -1] + [1] * (x.dim() - 2)
    inverse = (variance + epsilon).rsqrt()
    dscale = (dy * (x - mean.reshape(by_channel))).sum(dim=rows) * inverse
    return dy * (scale * inverse).reshape(by_channel), dscale, dy.sum(dim=rows)


def as_statistics(x):
    return x if x.dtype == torch.float64 else x.float()


def block_scores(q, k, bias, scale, causal, run, order, first, stride):
    """Scores of queries [b,n,s,d] or [b,n,g,s,d] and one block of keys; queries in runs see no later positions.

    With first (else -1) the keys are all positions, and run i of the queries stands at first + i * stride."""
    scores = scale * torch.matmul(q, (k if q.dim() == 4 else k.unsqueeze(2)).transpose(-1, -2))
    if causal:
        length = run or q.shape[-2]
        row = torch.arange(q.shape[-2], device=q.device)[:, None]
        key = torch.arange(k.shape[-2], device=q.device)[None, :]
        if first >= 0:
            position = first + row // length * (stride or length) + row % length
            return (scores if bias is None else scores + bias).masked_fill(key > position, float("-inf"))
        same = torch.full_like(row >= key, order > 0) if order else row % length >= key % length
        seen = torch.where(row // length == key // length, same, row // length > key // length)
        scores = scores.masked_fill(~seen, float("-inf"))
    return scores if bias is None else scores + bias


def block_attention(q, k, v, bias, scale, causal, run, order, first, stride, outputs):
    """Attention to one block of keys, and the logarithms of its sums of exponentials; nothing where nothing is seen."""
    scores = as_statistics(block_scores(q, k, bias, scale, causal, run, order, first, stride))
    lse = torch.logsumexp(scores, dim=-1)
    share = torch.nan_to_num(torch.exp(scores - lse.unsqueeze(-1)), nan=0.0).to(v.dtype)
    o = torch.matmul(share, v if q.dim() == 4 else v.unsqueeze(2))
    return (o, lse) if outputs > 1 else o


def block_attention_grad(q, k, v, bias, o, lse, do, scale, causal, run, order, first, stride, outputs):
    """Of this block alone, where o and lse are of several."""
    grouped = q.dim() == 5
    wide_k, wide_v = (k.unsqueeze(2), v.unsqueeze(2)) if grouped else (k, v)
    share = torch.exp(as_statistics(block_scores(q, k, bias, scale, causal, run, order, first, stride)) - lse.unsqueeze(-1))
    mean = (as_statistics(do) * as_statistics(o)).sum(dim=-1, keepdim=True)
    slope = share * (as_statistics(torch.matmul(do, wide_v.transpose(-1, -2))) - mean)
    narrow = (scale * slope).to(q.dtype)
    dq = torch.matmul(narrow, wide_k)
    dk = torch.matmul(narrow.transpose(-1, -2), q)
    dv = torch.matmul(share.to(v.dtype).transpose(-1, -2), do)
    results = (dq, dk.sum(dim=2), dv.sum(dim=2)) if grouped else (dq, dk, dv)
    return results if outputs == 3 else (*results, slope.sum_to_size(bias.shape).to(bias.dtype))


def merge_attention(o1, lse1, o2, lse2):
    """The online softmax: attention to two blocks of keys from attention to each."""
    lse = torch.logaddexp(lse1, lse2)
    shares = [torch.nan_to_num(torch.exp(part - lse), nan=0.0).unsqueeze(-1) for part in (lse1, lse2)]
    return (shares[0] * o1 + shares[1] * o2).to(o1.dtype), lse


def cast(x, dtype):
    return x if dtype is None else x.to(dtype)  # torch 1 has no fp8


def clip(x, low, high):
    return torch.clamp(x, None if low is None else low, None if high is None else high)


def clip_gradients(*operands, max_norm):
    *gradients, squared_norm = operands
    factor = torch.clamp(max_norm / (torch.sqrt(squared_norm) + 1e-6), max=1)
    return [(gradient * factor).to(gradient.dtype) for gradient in gradients]


def cum_sum(x, axis, exclusive, reverse):
    (axis,) = ints(axis)
    y = torch.flip(x, [axis]) if reverse else x
    total = torch.cumsum(y, dim=axis, dtype=x.dtype)
    total = total - y if exclusive else total
    return torch.flip(total, [axis]) if reverse else total


def divide(x, y):
    """Integers are truncated towards zero."""
    return x / y if x.is_floating_point() else torch.div(x, y, rounding_mode="trunc")


def dropout(x, ratio, training, seed, outputs):
    """By torch's numbers for the seed, which are not those of the reference kernel."""
    kept, y = torch.ones_like(x, dtype=torch.bool), x
    if training is not None and bool(training) and float(ratio) != 0:
        numbers = torch.rand(x.shape, generator=torch.Generator(device=x.device).manual_seed(seed), device=x.device)
        kept = numbers >= float(ratio)
        y = torch.where(kept, x / (1 - float(ratio)), torch.zeros_like(x))
    return (y, kept) if outputs > 1 else y


def dropout_grad(dy, mask, ratio, training):
    ratio = 0.5 if ratio is None else float(ratio)
    if ratio == 0 or training is not None and not bool(training):
        return dy
    return torch.where(mask, dy / (1 - ratio), torch.zeros_like(dy))


def expand(x, shape):
    return torch.broadcast_to(x, torch.broadcast_shapes(x.shape, ints(shape)))


def flatten(x, axis):
    axis = axis_of(axis, x.dim())
    return x.reshape(prod(x.shape[:axis]), prod(x.shape[axis:]))


def fused_matmul(x, w, alpha, transA, transB):
    x = x.transpose(-1, -2) if transA else x
    w = w.transpose(-1, -2) if transB else w
    return alpha * torch.matmul(x, w)


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


def gemm(a, b, c, alpha, beta, transA, transB):
    a = a.to(b.dtype)  # kept in fp8
    a = a.t() if transA else a
    b = b.t() if transB else b
    if c is None:
        return torch.mm(a, b) if alpha == 1 else alpha * torch.mm(a, b)
    return torch.addmm(c, a, b, beta=beta, alpha=alpha)


def matmul_grad(x, w, dy):
    x = x.to(dy.dtype)  # kept in fp8
    return torch.matmul(dy, w.t()), torch.mm(x.reshape(-1, x.shape[-1]).t(), dy.reshape(-1, dy.shape[-1]))


def layer_norm(x, scale, bias, axis, epsilon, outputs):
    shape = x.shape[axis_of(axis, x.dim()) :]
    whole = scale.dim() <= len(shape) and (bias is None or bias.dim() <= len(shape))
    weights = [None if w is None or not whole else w.expand(shape) for w in (scale, bias)]
    y, mean, inverse_deviation = torch.native_layer_norm(x, shape, *weights, epsilon)
    if not whole:  # they differ from row to row
        y = y * scale if bias is None else y * scale + bias
    return (y, mean, inverse_deviation)[:outputs] if outputs > 1 else y


def layer_norm_grad(x, scale, dy, axis, epsilon):
    shape = x.shape[axis_of(axis, x.dim()) :]
    _, mean, inverse_deviation = torch.native_layer_norm(x, shape, scale, None, epsilon)
    backward = torch.ops.aten.native_layer_norm_backward
    return backward(dy, x, shape, mean, inverse_deviation, scale, torch.zeros_like(scale), [True, True, True])


def skip_layer_norm(x, skip, scale, bias, addend, epsilon, outputs):
    total = x + skip if addend is None else x + skip + addend
    results = layer_norm(total, scale, bias, -1, epsilon, 3) + (total,)
    return results[:outputs] if outputs > 1 else results[0]


def quick_gelu_grad(dy, x, alpha):
    gate = torch.sigmoid(alpha * x)
    return dy * gate * (1 + alpha * x * (1 - gate))


def rms_norm(x, scale, axis, epsilon, outputs):
    axes = list(range(axis_of(axis, x.dim()), x.dim()))
    wide = x if x.dtype == torch.float64 else x.float()
    inverse = torch.rsqrt((wide * wide).mean(axes, keepdim=True) + epsilon)
    y = (wide * inverse * scale).to(x.dtype)
    return (y, inverse)[:outputs] if outputs > 1 else y


def rms_norm_grad(x, scale, dy, axis, epsilon):
    axes = list(range(axis_of(axis, x.dim()), x.dim()))
    inverse = rms_norm(x, scale, axis, epsilon, 2)[1]
    z, g = x * inverse, dy * scale
    dx = inverse * (g - z * (g * z).mean(axes, keepdim=True))
    return dx.to(x.dtype), (dy * z).sum(list(range(axes[0]))).to(scale.dtype)


def rotary(x, positions, cosine, sine, interleaved, heads):
    half = cosine.shape[-1]
    if x.dim() == 3:
        width = x.shape[2] // heads if heads else 2 * half
        split = x.reshape(x.shape[0], x.shape[1], -1, width).transpose(1, 2)
    else:
        split = x
    at = positions.to(int64)
    if at.numel() == 1:
        at = (at.reshape(1, 1) + torch.arange(split.shape[2], device=x.device))
    at = at.expand(x.shape[0], -1)
    c, s = cosine[at].unsqueeze(1), sine[at].unsqueeze(1)
    turned = split[..., : 2 * half]
    first, second = (turned[..., ::2], turned[..., 1::2]) if interleaved else turned.split(half, -1)
    pair = (first * c - second * s, second * c + first * s)
    pairs = torch.stack(pair, -1).flatten(-2) if interleaved else torch.cat(pair, -1)
    y = torch.cat((pairs.to(x.dtype), split[..., 2 * half :]), -1)
    return y if x.dim() == 4 else y.transpose(1, 2).reshape(x.shape)


def write_cache(cache, update, places, axis, mode):
    axis = axis_of(axis, cache.dim())
    result = cache.clone()
    for sample in range(cache.shape[0]):
        start = int(places[sample]) if places is not None else 0
        rows = (start + torch.arange(update.shape[axis], device=cache.device)) % cache.shape[axis]
        result[sample] = result[sample].index_copy(axis - 1, rows, update[sample])
    return result


def square_loss(x, y, count):
    return (x - y) ** 2 / (count or x.shape[0])


def square_loss_grad(x, y, count):
    return 2 * (x - y) / (count or x.shape[0])


def mean_of(*terms):
    return total_of(*terms) / len(terms)


def modulo(x, y, fmod):
    return torch.fmod(x, y) if fmod else torch.remainder(x, y)


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


def power(x, y):
    return torch.pow(x, y).to(x.dtype)


def reduced(name, x, axes, keepdims, noop_with_empty_axes):
    """A reduction over axes: all when there are none, unless that means none."""
    axes = [] if axes is None else ints(axes)
    axes = axes or ([] if noop_with_empty_axes else list(range(x.dim())))
    if name == "l2":
        y = torch.sqrt(reduced("sum", x * x, axes, 1, 1))
    elif name == "l1":
        y = reduced("sum", torch.abs(x), axes, 1, 1)
    elif name == "sum_square":
        y = reduced("sum", x * x, axes, 1, 1)
    elif name == "log_sum":
        y = torch.log(reduced("sum", x, axes, 1, 1))
    elif name == "log_sum_exp":
        y = torch.logsumexp(x, dim=axes, keepdim=True) if axes else x
    elif not axes:
        y = x
    elif name == "prod":
        y = x
        for axis in axes:
            y = torch.prod(y, dim=axis, keepdim=True, dtype=x.dtype)
    elif name == "mean" and not x.is_floating_point():
        count = prod(x.shape[axis] for axis in axes)
        y = torch.div(torch.sum(x, dim=axes, keepdim=True, dtype=x.dtype), count, rounding_mode="trunc")
    elif name == "sum":
        y = torch.sum(x, dim=axes, keepdim=True, dtype=x.dtype)
    else:
        y = {"mean": torch.mean, "max": torch.amax, "min": torch.amin}[name](x, dim=axes, keepdim=True)
    if keepdims:
        return y
    gone = {axis_of(axis, x.dim()) for axis in axes}
    return y.reshape([size for axis, size in enumerate(y.shape) if axis not in gone])


def reshape(x, shape, allowzero):
    return x.reshape([x.shape[i] if size == 0 and not allowzero else size for i, size in enumerate(ints(shape))])


def shape_of(x, start, end):
    return torch.tensor(list(x.shape[start:end]), dtype=int64, device=x.device)


def shrink(x, lambd, bias):
    zero = torch.zeros_like(x)
    return torch.where(x > lambd, x - bias, torch.where(x < -lambd, x + bias, zero)).to(x.dtype)


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


def softmax(x, axis, flatten_axes):
    if not flatten_axes:
        return torch.softmax(x, dim=axis)
    return torch.softmax(x.reshape(x.shape[: axis_of(axis, x.dim())] + (-1,)), dim=-1).reshape(x.shape)


def log_softmax(x, axis, flatten_axes):
    if not flatten_axes:
        return torch.log_softmax(x, dim=axis)
    return torch.log_softmax(x.reshape(x.shape[: axis_of(axis, x.dim())] + (-1,)), dim=-1).reshape(x.shape)


def softmax_grad(y, dy, axis, flatten_axes):
    if not flatten_axes:
        return torch.ops.aten._softmax_backward_data(dy, y, axis_of(axis, y.dim()), y.dtype)
    lanes = y.shape[: axis_of(axis, y.dim())] + (-1,)
    return softmax_grad(y.reshape(lanes), dy.reshape(lanes), -1, 0).reshape(y.shape)


def cross_entropy(logits, labels, weights, reduction, ignore_index, count, outputs):
    log_p = torch.log_softmax(logits, dim=1)
    ignored = -100 if ignore_index is None else ignore_index
    kind = "sum" if reduction == "mean" and count else reduction
    loss = F.nll_loss(log_p, labels.to(int64), weight=weights, reduction=kind, ignore_index=ignored)
    loss = loss / count if reduction == "mean" and count else loss
    return (loss, log_p) if outputs > 1 else loss


def cross_entropy_grad(logits, labels, weights, reduction, ignore_index, count):
    """Of an upstream gradient of one."""
    classes, labels = logits.shape[1], labels.to(int64)
    kept = torch.ones_like(labels) if ignore_index is None else (labels != ignore_index).to(int64)
    hot = F.one_hot(labels * kept, classes).movedim(-1, 1)
    w = kept.to(logits.dtype) if weights is None else weights[labels * kept] * kept
    total = (w.sum() if count is None else count) if reduction == "mean" else 1
    return w.unsqueeze(1) * (torch.softmax(logits, dim=1) - hot.to(logits.dtype)) / total


def sums_type(x):
    return x.dtype if x.dtype == torch.float64 else float32


def cross_entropy_terms(logits, labels, largest, first):
    """Of the classes from `first` on: sums of exponentials, and the label's logit where it is among them."""
    x = logits.to(sums_type(logits)) - largest.unsqueeze(1).to(sums_type(logits))
    own = labels.to(int64) - first
    here = (own >= 0) & (own < x.shape[1])
    label = torch.gather(x, 1, (own * here).unsqueeze(1)).squeeze(1)
    return torch.exp(x).sum(dim=1), label * here.to(x.dtype)


def row_weights(labels, weights, like, ignore_index):
    labels = labels.to(int64)
    kept = torch.ones_like(labels) if ignore_index is None else (labels != ignore_index).to(int64)
    return kept.to(like.dtype) if weights is None else weights[labels * kept] * kept


def cross_entropy_of_terms(exponentials, label, labels, weights, reduction, ignore_index, count):
    w = row_weights(labels, weights, label, ignore_index)
    losses = w * (torch.log(exponentials) - label)
    if reduction == "none":
        return losses
    return losses.sum() / ((w.sum() if count is None else count) if reduction == "mean" else 1)


def cross_entropy_of_terms_grad(logits, labels, largest, exponentials, weights, reduction, ignore_index, count, first):
    """Of an upstream gradient of one."""
    w = row_weights(labels, weights, exponentials, ignore_index)
    total = (w.sum() if count is None else count) if reduction == "mean" else 1
    own = (labels.to(int64) - first).unsqueeze(1)
    classes = torch.arange(logits.shape[1], device=logits.device).reshape((1, -1) + (1,) * (logits.dim() - 2))
    x = logits.to(sums_type(logits)) - largest.unsqueeze(1).to(sums_type(logits))
    slopes = torch.exp(x) / exponentials.unsqueeze(1) - (classes == own).to(x.dtype)
    return (w.unsqueeze(1) * slopes / total).to(logits.dtype)


def split(x, sizes, axis, parts):
    if sizes is not None:
        return torch.split(x, ints(sizes), dim=axis)
    return torch.split(x, -(-x.shape[axis] // parts), dim=axis)


def squared_norm(*operands, copies):
    """`copies`: how many ranks hold each operand."""
    squares = [x.to(torch.promote_types(x.dtype, torch.float32)).square().sum() for x in operands]
    return sum(square / count for square, count in zip(squares, copies or [1] * len(operands)))


def squeeze(x, axes):
    if axes is None:
        return x.squeeze()
    gone = {axis_of(axis, x.dim()) for axis in ints(axes)}
    return x.reshape([size for axis, size in enumerate(x.shape) if axis not in gone])


def moe_seats(gates, capacity):
    """[g,s,e,c]: whether a token sits in place c of an expert's buffer; the first that ask for it do."""
    asked = gates != 0
    places = asked.to(int64).cumsum(1) - 1
    return asked.unsqueeze(-1) & (places.unsqueeze(-1) == torch.arange(capacity, device=gates.device))


def moe_weights(gates, capacity, weighted):
    seats = moe_seats(gates, capacity).to(gates.dtype)
    return seats * gates.unsqueeze(-1) if weighted else seats


def moe_combine(y, gates, weighted):
    return torch.einsum("gsec,egch->gsh", moe_weights(gates, y.shape[2], weighted), y)


def moe_dispatch(x, gates, capacity, weighted):
    return torch.einsum("gsec,gsh->egch", moe_weights(gates, capacity, weighted), x)


def moe_gate_grad(y, gates, x):
    return torch.einsum("gsec,egch,gsh->gse", moe_seats(gates, y.shape[2]).to(gates.dtype), y, x)


def top_k(x, k, axis, largest):
    """Of equal elements the first."""
    (k,) = ints(k)
    values, indices = torch.sort(x, dim=axis, descending=bool(largest), stable=True)
    return values.narrow(axis, 0, k), indices.narrow(axis, 0, k)


def top_k_mask(x, k):
    """Of equal elements the first."""
    order = torch.sort(x, dim=-1, descending=True, stable=True)[1]
    return torch.zeros_like(x, dtype=torch.bool).scatter(-1, order[..., :k], True)


def total_of(*terms):
    return functools.reduce(lambda a, b: each(torch.add, a, b), terms)


def transpose(x, order):
    return x.permute(list(range(x.dim()))[::-1] if order is None else order)


def triangle(x, k, upper):
    (k,) = [0] if k is None else ints(k)
    return torch.triu(x, k) if upper else torch.tril(x, k)


def unsqueeze(x, axes):
    axes = ints(axes)
    fresh = {axis_of(axis, x.dim() + len(axes)) for axis in axes}
    old = iter(x.shape)
    return x.reshape([1 if axis in fresh else next(old) for axis in range(x.dim() + len(axes))])
