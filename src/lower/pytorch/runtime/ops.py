def axis_of(axis, rank):
    return axis + rank if axis < 0 else axis


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


def cast(x, dtype):
    return x if dtype is None else x.to(dtype)  # torch 1 has no fp8


def clip(x, low, high):
    return torch.clamp(x, None if low is None else low, None if high is None else high)


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


def mean_of(*terms):
    return total_of(*terms) / len(terms)


def modulo(x, y, fmod):
    return torch.fmod(x, y) if fmod else torch.remainder(x, y)


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


def split(x, sizes, axis, parts):
    if sizes is not None:
        return torch.split(x, ints(sizes), dim=axis)
    return torch.split(x, -(-x.shape[axis] // parts), dim=axis)


def squeeze(x, axes):
    if axes is None:
        return x.squeeze()
    gone = {axis_of(axis, x.dim()) for axis in ints(axes)}
    return x.reshape([size for axis, size in enumerate(x.shape) if axis not in gone])


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
