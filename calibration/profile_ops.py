"""What PyTorch runs for each op of an events list: the table OPS, for profile.py.

The kernels are those that training on a GPU calls: fused ones of the library where it has them, else the steps of the
usual implementation. src/lower/pytorch says what each op computes.
"""
from typing import Callable, NamedTuple, Optional

import torch
import torch.nn.functional as F

aten = torch.ops.aten
DTYPES = {
    "Float16": torch.float16, "BFloat16": torch.bfloat16, "Float32": torch.float32, "Float64": torch.float64,
    "Bool": torch.bool, "UInt8": torch.uint8, "Int8": torch.int8, "Int16": torch.int16, "Int32": torch.int32, "Int64": torch.int64,
}  # fmt: skip


class NotMeasured(Exception):
    """Why a row is left out."""


class Type(NamedTuple):
    dtype: torch.dtype
    shape: list


class Op(NamedTuple):
    """run(*operands, **attributes) is timed; if it is prepared, what run(results, *operands, **attributes) returns.

    An absent operand is None, and so is a result that a kernel keeps for itself. `results` are the types of the results.
    """

    run: Callable
    attributes: tuple = ()  # that it takes; an event with others is not measured
    prepared: bool = False
    below: Optional[Callable] = None  # (types of operands, attributes) -> what its integer operands are below
    positive: bool = False  # whether its operands have to be


def leaves(x):
    """The tensors, or types, in a tree of tuples."""
    if isinstance(x, (list, tuple)) and not isinstance(x, Type):
        return [leaf for part in x for leaf in leaves(part)]
    return [x]


def backward(outputs, inputs, gradients):
    """The gradients of a forward pass that was run once."""
    return lambda: torch.autograd.grad(outputs, inputs, gradients, retain_graph=True)


# Products


def gemm(x, w, *bias, alpha=1, beta=1, transA=0, transB=0):
    x, w = x.T if transA else x, w.T if transB else w
    if bias and bias[0] is not None:
        return torch.addmm(bias[0], x, w, alpha=alpha, beta=beta)
    return x @ w if alpha == 1 else torch.addmm(x.new_empty(1), x, w, alpha=alpha, beta=0)


def fused_matmul(x, w, alpha=1, transA=0, transB=0):
    x, w = x.mT if transA else x, w.mT if transB else w
    if alpha == 1:
        return x @ w
    if x.dim() < 3 or x.shape[:-2] != w.shape[:-2]:
        return (x @ w) * alpha
    y = torch.baddbmm(x.new_empty(1), x.flatten(0, -3), w.flatten(0, -3), alpha=alpha, beta=0)
    return y.unflatten(0, x.shape[:-2])


def matmul_grad(x, w, dy):
    return dy @ w.mT, x.flatten(0, -2).T @ dy.flatten(0, -2)


# Attention


def pieces_of(queries, keys, causal, run, order, first, stride):
    """[(from this query, to that, number of keys that the last one sees, causal)]: calls of a kernel that do it."""
    if not causal:
        return [(0, queries, keys, False)]
    length = run or queries
    stride = stride or length
    if first >= 0:
        if length == 1 and stride > 1:
            raise NotMeasured("no kernel for queries that were dealt out")
        if stride == length:
            length = queries
        pieces = [(at, at + length, first + at // length * stride + length, True) for at in range(0, queries, length)]
    elif order == 0 or order > 0 and length == 1:
        pieces = [(0, queries, queries, True)]
    elif length == 1:
        pieces = [(1, queries, queries - 1, True)]
    else:
        pieces = [(at, at + length, at + length if order > 0 else at, False) for at in range(0, queries, length)]
    if len(pieces) > 16:
        raise NotMeasured("no kernel for these positions of the queries")
    if pieces[-1][2] > keys or first < 0 and queries != keys:
        raise NotMeasured("no kernel for these numbers of queries and keys")
    return pieces


def attend(q, k, v, bias, scale, pieces):
    """Heads of keys that several heads of queries share are in q: [b,n,g,s,d]."""
    shape, options = q.shape, {"scale": scale}
    if q.dim() == 5:
        if q.dtype.itemsize == 2 and "enable_gqa" in F.scaled_dot_product_attention.__doc__:
            options["enable_gqa"] = True
        else:
            k, v = k.repeat_interleave(shape[2], 1), v.repeat_interleave(shape[2], 1)
        q = q.flatten(1, 2)
    outputs = []
    if pieces[0][0] > 0:
        outputs.append(torch.zeros_like(q[:, :, : pieces[0][0]]))
    for begin, end, seen, causal in pieces:
        part = q[:, :, begin:end]
        if seen == 0:
            outputs.append(torch.zeros_like(part))
            continue
        mask = bias
        if causal and end - begin != seen:
            from torch.nn.attention.bias import causal_lower_right

            mask = causal_lower_right(end - begin, seen)
        whole = causal and end - begin == seen
        outputs.append(F.scaled_dot_product_attention(part, k[:, :, :seen], v[:, :, :seen], mask, is_causal=whole, **options))
    return (outputs[0] if len(outputs) == 1 else torch.cat(outputs, 2)).reshape(shape)


def saved_attention(q, k, v, bias, scale, **masking):
    pieces = pieces_of(q.shape[-2], k.shape[-2], **masking)
    if bias is not None and (masking["causal"] or q.dim() == 5):
        raise NotMeasured("no kernel takes this bias")
    operands = [x.requires_grad_() for x in (q, k, v, bias) if x is not None]
    return operands, lambda: attend(q, k, v, bias, scale, pieces)


MASKING = {"causal": 0, "run": 0, "order": 0, "first": -1, "stride": 0}


def block_attention(results, q, k, v, bias=None, scale=1, **masking):
    """Where operands have gradients, the kernel keeps the logarithms of its sums, which are the second result."""
    run = saved_attention(q, k, v, bias, scale, **{**MASKING, **masking})[1]
    return lambda: (run(), None)


def block_attention_grad(results, q, k, v, bias, o, lse, do, scale=1, **masking):
    operands, run = saved_attention(q, k, v, bias, scale, **{**MASKING, **masking})
    return backward(run(), operands[: len(results)], do)


def rotary(results, x, positions, cosine, sine, interleaved=0, num_heads=0):
    """The angles are looked up once for all layers, so not here."""
    if x.dim() == 3:  # [b,s,n d]
        x = x.unflatten(2, (num_heads or x.shape[2] // (2 * cosine.shape[-1]), -1)).transpose(1, 2)
    if positions.numel() == 1:
        positions = positions.reshape(1, 1) + torch.arange(x.shape[2], device=x.device)
    half, at = cosine.shape[-1], positions.remainder(cosine.shape[0])
    c, s = (torch.cat((t[at], t[at]), -1).unsqueeze(1).to(x.dtype) for t in (cosine, sine))

    def run():
        turned = x[..., : 2 * half]
        if interleaved:
            other = torch.stack((-turned[..., 1::2], turned[..., ::2]), -1).flatten(-2)
        else:
            other = torch.cat((-turned[..., half:], turned[..., :half]), -1)
        y = turned * c + other * s
        return y if 2 * half == x.shape[-1] else torch.cat((y, x[..., 2 * half :]), -1)

    return lambda: run().transpose(1, 2).flatten(2) if len(results[0].shape) == 3 else run()


# Normalisations


def layer_norm(results, x, scale, bias=None, axis=-1, epsilon=1e-5):
    shape = x.shape[axis:]
    return lambda: torch.native_layer_norm(x, shape, scale, bias, epsilon)[: len(results)]


def layer_norm_grad(results, x, scale, dy, axis=-1, epsilon=1e-5):
    shape = x.shape[axis:]
    _, mean, inverse = torch.native_layer_norm(x, shape, scale, None, epsilon)
    wanted = [True, True, len(results) > 2]
    run = aten.native_layer_norm_backward
    return lambda: run(dy, x, shape, mean, inverse, scale, torch.zeros_like(scale), wanted)[: len(results)]


def rms(x, scale, axis, epsilon):
    if hasattr(F, "rms_norm"):  # torch 2.4
        return F.rms_norm(x, x.shape[axis:], scale, epsilon)
    wide = x.float()
    axes = list(range(axis % x.dim(), x.dim()))
    return (wide * torch.rsqrt(wide.square().mean(axes, keepdim=True) + epsilon)).to(x.dtype) * scale


def rms_norm_grad(results, x, scale, dy, axis=-1, epsilon=1e-5):
    y = rms(x.requires_grad_(), scale.requires_grad_(), axis, epsilon)
    return backward(y, (x, scale), dy.to(y.dtype))


def batch_norm(results, x, scale, bias, mean, variance, epsilon=1e-5, momentum=0.9, training_mode=0):
    options = {"training": bool(training_mode), "momentum": 1 - momentum, "eps": epsilon}
    return lambda: (F.batch_norm(x, mean, variance, scale, bias, **options), mean, variance, None, None)[: len(results)]


def batch_norm_grad(x, scale, mean, variance, dy, epsilon=1e-5):
    return aten.native_batch_norm_backward(dy, x, scale, mean, variance, None, None, False, epsilon, [True, True, True])


# Losses


def mean_divisor(reduction, count):
    return count if reduction == "mean" and count else 1


def cross_entropy(results, logits, labels, weights=None, reduction="mean", ignore_index=-100, count=None):
    divisor = mean_divisor(reduction, count)
    options = {"ignore_index": ignore_index, "reduction": "sum" if divisor != 1 else reduction}

    def run():
        log_p = torch.log_softmax(logits, 1)
        loss = F.nll_loss(log_p, labels.long(), weights, **options)
        return (loss / divisor if divisor != 1 else loss, log_p)[: len(results)]

    return run


def cross_entropy_grad(results, logits, labels, weights=None, reduction="mean", ignore_index=-100, count=None):
    """After a forward pass that kept the logarithms of the softmax."""
    divisor = mean_divisor(reduction, count)
    kind = "sum" if divisor != 1 else reduction
    loss = F.cross_entropy(logits.requires_grad_(), labels.long(), weights, ignore_index=ignore_index, reduction=kind)
    return backward(loss, logits, torch.full_like(loss, 1 / divisor))


def cross_entropy_terms(logits, labels, largest, all, first):
    """As the vocabulary-parallel cross-entropy of Megatron-LM."""
    x = logits.float() - largest.unsqueeze(1)
    other = (labels < first) | (labels >= first + x.shape[1])
    own = (labels - first).masked_fill_(other, 0)
    label = torch.gather(x, 1, own.unsqueeze(1)).squeeze(1).masked_fill_(other, 0)
    return torch.exp(x, out=x).sum(1), label


def row_weights(labels, weights, ignore_index):
    kept = None if ignore_index is None else labels != ignore_index
    if weights is None:
        return kept
    w = weights[labels if kept is None else labels * kept]
    return w if kept is None else w * kept


def cross_entropy_of_terms(
    exponentials, label, labels, weights=None, reduction="mean", ignore_index=None, count=None, output_type="Float32", all=None, first=0
):
    losses = torch.log(exponentials) - label
    w = row_weights(labels, weights, ignore_index)
    losses = losses if w is None else losses * w
    if reduction == "none":
        return losses.to(DTYPES[output_type])
    total = losses.sum()
    if reduction == "mean":
        total = total / (count if count else losses.numel() if w is None else w.sum())
    return total.to(DTYPES[output_type])


def cross_entropy_of_terms_grad(
    logits, labels, largest, exponentials, weights=None, reduction="mean", ignore_index=None, count=None, all=None, first=0
):
    x = logits.float() - largest.unsqueeze(1)
    x.exp_().div_(exponentials.unsqueeze(1))
    other = (labels < first) | (labels >= first + x.shape[1])
    own = (labels - first).masked_fill_(other, 0)
    x.scatter_add_(1, own.unsqueeze(1), other.to(x.dtype).sub_(1).unsqueeze(1))
    w = row_weights(labels, weights, ignore_index)
    x = x if w is None else x.mul_(w.unsqueeze(1))
    if reduction == "mean":
        x.div_(count if count else labels.numel() if w is None else w.sum())
    return x.to(logits.dtype)


# Tables of rows


def gather(x, indices, axis=0):
    axis %= x.dim()
    if axis == 0 and x.dim() == 2:
        return F.embedding(indices, x)
    return x.index_select(axis, indices.reshape(-1)).reshape(x.shape[:axis] + indices.shape + x.shape[axis + 1 :])


def gather_grad(indices, dy, shape=None, axis=0, dim=None):
    if shape is not None or dim is None:
        raise NotMeasured("the number of rows is an operand")
    axis %= dy.dim() - indices.dim() + 1
    if axis == 0 and dy.dim() == indices.dim() + 1:
        return aten.embedding_dense_backward(dy, indices, dim, -1, False)
    before, after = dy.shape[:axis], dy.shape[axis + indices.dim() :]
    rows = dy.reshape(*before, indices.numel(), *after)
    return dy.new_zeros(*before, dim, *after).index_add_(axis, indices.reshape(-1), rows)


def gather_part(x, indices, all, first):
    """As the vocabulary-parallel embedding of Megatron-LM."""
    other = (indices < first) | (indices >= first + x.shape[0])
    return F.embedding((indices - first).masked_fill_(other, 0), x).masked_fill_(other.unsqueeze(-1), 0)


def gather_part_grad(indices, dy, all, first, dim):
    other = (indices < first) | (indices >= first + dim)
    rows = dy.masked_fill(other.unsqueeze(-1), 0)
    return aten.embedding_dense_backward(rows, (indices - first).masked_fill_(other, 0), dim, -1, False)


def take_slice(x, starts, ends, axes=None, steps=None, own_row=0):
    parts = [slice(None)] * x.dim()
    for i, (start, end) in enumerate(zip(starts, ends)):
        parts[axes[i] if axes else i] = slice(start, end, steps[i] if steps else 1)
    return x[tuple(parts)].clone(memory_format=torch.contiguous_format)


def split(results, x, axis=0, num_outputs=None, split=None):
    sizes = [result.shape[axis] for result in results]
    return lambda: [part.clone(memory_format=torch.contiguous_format) for part in x.split(sizes, axis)]


# Experts: tokens are copied to and from the buffers by index, as Megatron-LM does with a fixed capacity


def seats(gates, capacity):
    """Rows of the tokens [g s] in the buffers [e,g,c] of the experts: the first that chose them."""
    chosen = (gates != 0).transpose(1, 2)
    order = torch.argsort(chosen.to(torch.uint8), dim=2, descending=True, stable=True)[..., :capacity]
    own = torch.arange(gates.shape[0], device=gates.device) * gates.shape[1]
    return (order + own.reshape(-1, 1, 1)).transpose(0, 1).reshape(-1)


def gates_of(gates, rows):
    """The gates [e,g,c] of the rows of tokens in the buffers."""
    experts = gates.shape[2]
    return gates.flatten(0, 1).T.gather(1, rows.reshape(experts, -1)).reshape(-1, 1)


def moe_dispatch(results, x, gates, capacity, weighted=0):
    """With weights it is the gradient of combining, for which the rows are known."""
    rows = seats(gates, capacity)

    def run():
        at = rows if weighted else seats(gates, capacity)
        y = x.flatten(0, 1).index_select(0, at)
        return (y * gates_of(gates, at) if weighted else y).reshape(results[0].shape)

    return run


def moe_combine(results, y, gates, weighted=0):
    rows = seats(gates, y.shape[2])

    def run():
        tokens = y.flatten(0, 2)
        tokens = tokens * gates_of(gates, rows) if weighted else tokens
        return y.new_zeros(gates.shape[0] * gates.shape[1], y.shape[3]).index_add_(0, rows, tokens).reshape(results[0].shape)

    return run


def moe_gate_grad(results, y, gates, x):
    rows, experts = seats(gates, y.shape[2]), gates.shape[2]

    def run():
        products = (x.flatten(0, 1).index_select(0, rows) * y.flatten(0, 2)).sum(1)
        flat = y.new_zeros(experts, gates.shape[0] * gates.shape[1])
        return flat.scatter_(1, rows.reshape(experts, -1), products.reshape(experts, -1)).T.reshape(gates.shape)

    return run


def top_k_mask(x, k):
    return torch.zeros_like(x, dtype=torch.bool).scatter_(-1, torch.topk(x, k).indices, True)


# Optimizers: in place


def adam(results, w, dw, m, v, master=None, lr=1e-3, beta1=0.9, beta2=0.999, epsilon=1e-8, weight_decay=0, step=1):
    """The step is on the master copies, if there are any; the weights are rounded from them."""
    w, dw, m, v = leaves(w), leaves(dw), leaves(m), leaves(v)
    start = w if master is None else leaves(master)
    steps = [torch.ones((), device=x.device) for x in w]
    options = {"lr": lr, "beta1": beta1, "beta2": beta2, "weight_decay": weight_decay, "eps": epsilon}

    def composed(x, g, m, v):
        m.mul_(beta1).add_(g, alpha=1 - beta1)
        v.mul_(beta2).addcmul_(g, g, value=1 - beta2)
        if weight_decay:
            x.mul_(1 - lr * weight_decay)
        x.addcdiv_(m, v.sqrt().add_(epsilon), value=-lr)

    def run():
        g = [gradient.to(mean.dtype) for gradient, mean in zip(dw, m)]
        if hasattr(torch, "_fused_adamw_") and all(x.dtype == mean.dtype for x, mean in zip(start, m)):
            torch._fused_adamw_(start, g, m, v, [], steps, amsgrad=False, maximize=False, **options)
        else:
            for operands in zip(start, g, m, v):
                composed(*operands)
        if master is None:
            return w, m, v
        for weight, fresh in zip(w, start):
            weight.copy_(fresh)
        return w, m, v, start

    return run


def sgd(w, dw, master=None, lr=0.01):
    if master is None:
        return w.add_(dw, alpha=-lr)
    master.add_(dw, alpha=-lr)
    return w.copy_(master), master


def sgd_all(*operands, lr=0.01):
    weights = operands[: len(operands) // 2]
    torch._foreach_add_(weights, operands[len(operands) // 2 :], alpha=-lr)
    return weights


def momentum_step(w, dw, v, master=None, lr=0.01, momentum=0.9, nesterov=0):
    v.mul_(momentum).add_(dw)
    change = dw.to(v.dtype).add(v, alpha=momentum) if nesterov else v
    (w if master is None else master).add_(change, alpha=-lr)
    return (w, v) if master is None else (w.copy_(master), v, master)


def clip_gradients(*operands, max_norm):
    *gradients, squared = operands
    factor = torch.clamp(max_norm / (torch.sqrt(squared) + 1e-6), max=1)
    try:
        torch._foreach_mul_(gradients, factor.to(gradients[0].dtype))
    except TypeError:  # before torch 2.1
        for gradient in gradients:
            gradient.mul_(factor)
    return gradients


def squared_norm(results, *operands, copies=None):
    shares = torch.tensor([1 / count for count in copies or [1] * len(operands)], device=operands[0].device)

    def run():
        norms = torch.stack(torch._foreach_norm(operands, 2))
        return (norms.float().square() * shares).sum().to(results[0].dtype)

    return run


# Convolutions


def symmetric(pads, rank):
    pads = pads or [0] * (2 * rank)
    if pads[:rank] != pads[rank:]:
        raise NotMeasured("more padding on one side")
    return pads[:rank]


def conv(x, w, bias=None, kernel_shape=None, strides=None, dilations=None, pads=None, group=1):
    rank = x.dim() - 2
    run = (F.conv1d, F.conv2d, F.conv3d)[rank - 1]
    return run(x, w, bias, strides or [1] * rank, symmetric(pads, rank), dilations or [1] * rank, group)


def conv_transpose(x, w, bias=None, kernel_shape=None, strides=None, dilations=None, pads=None, group=1, output_padding=None):
    rank = x.dim() - 2
    run = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[rank - 1]
    strides, dilations = strides or [1] * rank, dilations or [1] * rank
    return run(x, w, bias, strides, symmetric(pads, rank), output_padding or [0] * rank, group, dilations)


def conv_weight_grad(results, x, dy, kernel_shape, strides=None, dilations=None, pads=None, group=1):
    rank = x.dim() - 2
    like, zero = x.new_empty(results[0].shape), [0] * rank
    fixed = (None, strides or [1] * rank, symmetric(pads, rank), dilations or [1] * rank, False, zero, group)
    return lambda: aten.convolution_backward(dy, x, like, *fixed, [False, True, False])[1]


def pool_of(x, kernel_shape, strides=None, dilations=None, pads=None, ceil_mode=0):
    rank = x.dim() - 2
    run = (F.max_pool1d, F.max_pool2d, F.max_pool3d)[rank - 1]
    rest = (symmetric(pads, rank), dilations or [1] * rank, bool(ceil_mode))
    return run(x, kernel_shape, strides or [1] * rank, *rest, return_indices=True)


def max_pool_grad(results, x, dy, **attributes):
    return backward(pool_of(x.requires_grad_(), **attributes)[0], x, dy)


# The rest


def reduced(run):
    def over(x, axes=None, keepdims=1):
        return run(x, axes or list(range(x.dim())), keepdim=bool(keepdims))

    return over


def dropout(results, x, ratio=None, training=None, seed=0):
    return lambda: torch.native_dropout(x, 0.1, True)[: len(results)]


def of_many(run):
    def all_of(x, *others):
        for other in others:
            x = run(x, other)
        return x

    return all_of


def quick_gelu(x, alpha=1.702):
    return F.silu(x) if alpha == 1 else x * torch.sigmoid(alpha * x)


def quick_gelu_grad(dy, x, alpha=1.702):
    if alpha == 1:
        return aten.silu_backward(dy, x)
    gate = torch.sigmoid(alpha * x)
    return dy * gate * (1 + alpha * x * (1 - gate))


def pad(x, value=None, *, pads, mode="constant"):
    if mode != "constant":
        raise NotMeasured(f"mode {mode}")
    rank = x.dim()
    return F.pad(x, [size for axis in reversed(range(rank)) for size in (pads[axis], pads[axis + rank])])


def resized(x, mode, scales):
    if mode != "nearest" or scales[:2] != [1, 1]:
        raise NotMeasured("resizes in another way")
    return F.interpolate(x, scale_factor=scales[2:], mode="nearest")


def resize(results, x, mode="nearest", scales=None):
    return lambda: resized(x, mode, scales)


def resize_grad(results, x, roi, by, sizes, dy, mode="nearest", scales=None):
    return backward(resized(x.requires_grad_(), mode, scales), x, dy)


def divide(x, y):
    return x / y if x.is_floating_point() else torch.div(x, y, rounding_mode="trunc")


def triangle(x, k=None, upper=1):
    if k is not None:
        raise NotMeasured("the diagonal is an operand")
    return torch.triu(x) if upper else torch.tril(x)


def filled(results, *shape, value=None):
    device = shape[0].device if shape else None
    return lambda: torch.zeros(results[0].shape, dtype=results[0].dtype, device=device)


def ranged(results, start, limit, delta):
    return lambda: torch.arange(results[0].shape[0], dtype=results[0].dtype, device=start.device)


def merge_attention(o1, lse1, o2, lse2):
    """The steps of ring attention in torch.distributed: one sigmoid for both shares."""
    share = torch.sigmoid(lse2 - lse1).unsqueeze(-1)
    return (o1 - share * (o1 - o2)).to(o1.dtype), lse1 - F.logsigmoid(lse1 - lse2)


ATTENTION = ("scale", *MASKING)
CONV = ("kernel_shape", "strides", "dilations", "pads", "group")
CROSS_ENTROPY = ("reduction", "ignore_index", "count")
POOL = ("kernel_shape", "strides", "dilations", "pads", "ceil_mode")
SOFTMAX = ("axis", "flatten")
PARTS = ("all", "first")


def flattened(run):
    """Of a softmax: over `axis` alone, which is all that it is here."""

    def over(*operands, axis=-1, flatten=0):
        if flatten and axis % operands[0].dim() != operands[0].dim() - 1:
            raise NotMeasured("flattens axes")
        return run(*operands, axis)

    return over


def classes(types, _):
    return types[0].shape[1]


def all_rows(_, attributes):
    return attributes["all"]


OPS = {
    "AdamOptimizer": Op(adam, ("lr", "beta1", "beta2", "epsilon", "weight_decay", "step"), prepared=True, positive=True),
    "BatchNormalization": Op(batch_norm, ("epsilon", "momentum", "training_mode"), prepared=True, positive=True),
    "BatchNormalizationGrad": Op(batch_norm_grad, ("epsilon",), positive=True),
    "BiasGelu": Op(lambda x, bias: F.gelu(x + bias)),
    "BlockAttention": Op(block_attention, ATTENTION, prepared=True),
    "BlockAttentionGrad": Op(block_attention_grad, ATTENTION, prepared=True),
    "Cast": Op(lambda results, x, to, of_sum=0: lambda: x.to(results[0].dtype), ("to", "of_sum"), prepared=True),
    "ClipGradients": Op(clip_gradients, ("max_norm",), positive=True),
    "Concat": Op(lambda *xs, axis: torch.cat(xs, axis), ("axis",)),
    "ConstantOfShape": Op(filled, ("value",), prepared=True),
    "Conv": Op(conv, CONV),
    "ConvTranspose": Op(conv_transpose, (*CONV, "output_padding")),
    "ConvWeightGrad": Op(conv_weight_grad, CONV, prepared=True),
    "CrossEntropyOfTerms": Op(cross_entropy_of_terms, (*CROSS_ENTROPY, "output_type", *PARTS), below=all_rows, positive=True),
    "CrossEntropyOfTermsGrad": Op(cross_entropy_of_terms_grad, (*CROSS_ENTROPY, *PARTS), below=all_rows, positive=True),
    "CrossEntropyTerms": Op(cross_entropy_terms, PARTS, below=all_rows),
    "Div": Op(divide, positive=True),
    "Dropout": Op(dropout, ("seed",), prepared=True),
    "DropoutGrad": Op(lambda dy, mask, ratio=None, training=None: aten.native_dropout_backward(dy, mask, 1 / 0.9)),
    "Einsum": Op(lambda *xs, equation: torch.einsum(equation, *xs), ("equation",)),
    "Expand": Op(lambda results, x, *shape, **_: lambda: x.expand(results[0].shape).clone(memory_format=torch.contiguous_format),
                 ("shape",), prepared=True),
    "FastGelu": Op(lambda x, *bias: F.gelu(of_many(torch.add)(x, *bias), approximate="tanh")),
    "FusedMatMul": Op(fused_matmul, ("alpha", "transA", "transB")),
    "Gather": Op(gather, ("axis",), below=lambda types, attributes: types[0].shape[attributes.get("axis", 0)]),
    "GatherGrad": Op(gather_grad, ("axis", "dim"), below=lambda _, attributes: attributes.get("dim", 1)),
    "GatherPart": Op(gather_part, PARTS, below=all_rows),
    "GatherPartGrad": Op(gather_part_grad, (*PARTS, "dim"), below=all_rows),
    "Gelu": Op(lambda x, approximate="none": F.gelu(x, approximate=approximate), ("approximate",)),
    "GeluGrad": Op(lambda x, dy, approximate="none": aten.gelu_backward(dy, x, approximate=approximate), ("approximate",)),
    "Gemm": Op(gemm, ("alpha", "beta", "transA", "transB")),
    "GlobalAveragePool": Op(lambda x: x.mean(list(range(2, x.dim())), keepdim=True)),
    "GroupNormalization": Op(lambda x, scale, bias, num_groups, epsilon=1e-5: F.group_norm(x, num_groups, scale, bias, epsilon),
                             ("num_groups", "epsilon")),
    "LayerNormalization": Op(layer_norm, ("axis", "epsilon"), prepared=True),
    "LayerNormalizationGrad": Op(layer_norm_grad, ("axis", "epsilon"), prepared=True),
    "LogSoftmax": Op(flattened(torch.log_softmax), SOFTMAX),
    "Loss": Op(lambda x, y, count=None: (x - y) ** 2 / (count or x.shape[0]), ("count",)),
    "LossGrad": Op(lambda x, y, count=None: (x - y).mul_(2 / (count or x.shape[0])), ("count",)),
    "MatMulGrad": Op(matmul_grad),
    "Max": Op(of_many(torch.maximum)),
    "MaxPool": Op(lambda results, x, **attributes: lambda: pool_of(x, **attributes)[: len(results)], POOL, prepared=True),
    "MaxPoolGrad": Op(max_pool_grad, POOL, prepared=True),
    "MergeAttention": Op(merge_attention),
    "Min": Op(of_many(torch.minimum)),
    "MoeCombine": Op(moe_combine, ("weighted",), prepared=True),
    "MoeDispatch": Op(moe_dispatch, ("capacity", "weighted"), prepared=True),
    "MoeGateGrad": Op(moe_gate_grad, prepared=True),
    "MomentumOptimizer": Op(momentum_step, ("lr", "momentum", "nesterov")),
    "Optimizer": Op(sgd, ("lr",)),
    "Pad": Op(pad, ("pads", "mode")),
    "QuickGelu": Op(quick_gelu, ("alpha",)),
    "QuickGeluGrad": Op(quick_gelu_grad, ("alpha",)),
    "Range": Op(ranged, prepared=True),
    "ReduceMax": Op(reduced(torch.amax), ("axes", "keepdims")),
    "ReduceMean": Op(reduced(torch.mean), ("axes", "keepdims")),
    "ReduceMin": Op(reduced(torch.amin), ("axes", "keepdims")),
    "ReduceSum": Op(reduced(torch.sum), ("axes", "keepdims")),
    "ReluGrad": Op(lambda y, dy: aten.threshold_backward(dy, y, 0)),
    "Resize": Op(resize, ("mode", "scales"), prepared=True),
    "ResizeGrad": Op(resize_grad, ("mode", "scales"), prepared=True),
    "RotaryEmbedding": Op(rotary, ("interleaved", "num_heads"), prepared=True, below=lambda types, _: types[2].shape[0]),
    "SGDOptimizer": Op(sgd_all, ("lr",)),
    "SimplifiedLayerNormalization": Op(
        lambda results, x, scale, axis=-1, epsilon=1e-5: lambda: (rms(x, scale, axis, epsilon), None)[: len(results)],
        ("axis", "epsilon"), prepared=True,
    ),
    "SimplifiedLayerNormalizationGrad": Op(rms_norm_grad, ("axis", "epsilon"), prepared=True),
    "Slice": Op(take_slice, ("starts", "ends", "axes", "steps", "own_row")),
    "Softmax": Op(flattened(torch.softmax), SOFTMAX),
    "SoftmaxCrossEntropyLoss": Op(cross_entropy, CROSS_ENTROPY, prepared=True, below=classes),
    "SoftmaxCrossEntropyLossGrad": Op(cross_entropy_grad, CROSS_ENTROPY, prepared=True, below=classes),
    "SoftmaxGrad": Op(flattened(lambda y, dy, axis: aten._softmax_backward_data(dy, y, axis, y.dtype)), SOFTMAX),
    "Split": Op(split, ("axis", "num_outputs", "split"), prepared=True),
    "SquaredNorm": Op(squared_norm, ("copies",), prepared=True),
    "Sum": Op(of_many(torch.add)),
    "TopKMask": Op(top_k_mask, ("k",)),
    "Transpose": Op(lambda x, perm=None: x.permute(perm or list(range(x.dim()))[::-1]).contiguous(), ("perm",)),
    "Trilu": Op(triangle, ("upper",)),
    "Where": Op(torch.where),
}  # fmt: skip

ELEMENTWISE = {
    "Abs": torch.abs, "Add": torch.add, "And": torch.logical_and, "Cos": torch.cos, "Equal": torch.eq, "Erf": torch.erf, "Exp": torch.exp,
    "Greater": torch.gt, "GreaterOrEqual": torch.ge, "Less": torch.lt, "LessOrEqual": torch.le, "MatMul": torch.matmul, "Mul": torch.mul,
    "Neg": torch.neg, "Not": torch.logical_not, "Or": torch.logical_or, "Relu": torch.relu, "Sigmoid": torch.sigmoid, "Sign": torch.sign,
    "Sin": torch.sin, "Sub": torch.sub, "Tanh": torch.tanh,
}  # fmt: skip
OPS.update({name: Op(run) for name, run in ELEMENTWISE.items()})
OPS.update({name: Op(run, positive=True) for name, run in
            {"Log": torch.log, "Pow": torch.pow, "Reciprocal": torch.reciprocal, "Sqrt": torch.sqrt}.items()})  # fmt: skip

if not hasattr(F, "scaled_dot_product_attention"):  # before torch 2.1
    del OPS["BlockAttention"], OPS["BlockAttentionGrad"]
