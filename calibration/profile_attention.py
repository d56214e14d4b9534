"""Attention as training on a GPU executes it, for profile_ops.py: calls of torch's fused kernel, one for each run of positions."""
import torch
import torch.nn.functional as F

from profile_kernels import NotMeasured, backward


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


def attend(q, k, v, bias, scale, dropout, pieces):
    """Heads of keys that several heads of queries share are in q: [b,n,g,s,d]. Dropped by the kernel, by numbers of torch's."""
    shape, options = q.shape, {"scale": scale, "dropout_p": dropout}
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


def saved_attention(q, k, v, bias, scale, dropout, **masking):
    pieces = pieces_of(q.shape[-2], k.shape[-2], **masking)
    if bias is not None and (masking["causal"] or q.dim() == 5):
        raise NotMeasured("no kernel takes this bias")
    operands = [x.requires_grad_() for x in (q, k, v, bias) if x is not None]
    return operands, lambda: attend(q, k, v, bias, scale, dropout, pieces)


MASKING = {"causal": 0, "run": 0, "order": 0, "first": -1, "stride": 0}


def block_attention(results, q, k, v, bias=None, scale=1, dropout=0, **masking):
    """Where operands have gradients, the kernel keeps the logarithms of its sums, which are the second result."""
    run = saved_attention(q, k, v, bias, scale, dropout, **{**MASKING, **masking})[1]
    return lambda: (run(), None)


def block_attention_grad(results, q, k, v, bias, o, lse, do, scale=1, dropout=0, **masking):
    operands, run = saved_attention(q, k, v, bias, scale, dropout, **{**MASKING, **masking})
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
