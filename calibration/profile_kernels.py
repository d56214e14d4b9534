"""Ops as training on a GPU executes them, for profile_ops.py: fused kernels of PyTorch where it has them, else the steps of the usual
implementation. src/lower/pytorch says what each op computes.

A function whose first parameter is `results`, the types of the results, prepares what is timed: it returns that as a function.
"""
from typing import NamedTuple

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


# Experts: tokens are copied to and from the buffers by index, as Megatron-LM does with a fixed capacity. A place that no token asked for
# gets some token's row, too, which weights of zero take out again: the work is the same.


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


def flattened(run):
    """Of a softmax: over `axis` alone, which is all that it is here."""

    def over(*operands, axis=-1, flatten=0):
        if flatten and axis % operands[0].dim() != operands[0].dim() - 1:
            raise NotMeasured("flattens axes")
        return run(*operands, axis)

    return over
