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


def block_dropout(shares, ratio, seed):
    """What is left of probabilities, by torch's numbers for the seed."""
    if ratio == 0:
        return shares
    numbers = torch.rand(shares.shape, generator=torch.Generator(device=shares.device).manual_seed(seed), device=shares.device)
    return torch.where(numbers >= ratio, shares / (1 - ratio), torch.zeros_like(shares))


def block_attention(q, k, v, bias, scale, causal, run, order, first, stride, dropout, seed, outputs):
    """Attention to one block of keys, and the logarithms of its sums of exponentials; nothing where nothing is seen."""
    k, v = k.to(q.dtype), v.to(q.dtype)
    scores = as_statistics(block_scores(q, k, bias, scale, causal, run, order, first, stride))
    lse = torch.logsumexp(scores, dim=-1)
    share = block_dropout(torch.nan_to_num(torch.exp(scores - lse.unsqueeze(-1)), nan=0.0), dropout, seed).to(v.dtype)
    o = torch.matmul(share, v if q.dim() == 4 else v.unsqueeze(2))
    return (o, lse) if outputs > 1 else o


def block_attention_grad(q, k, v, bias, o, lse, do, scale, causal, run, order, first, stride, dropout, seed, outputs):
    """Of this block alone, where o and lse are of several."""
    grouped = q.dim() == 5
    wide_k, wide_v = (k.unsqueeze(2), v.unsqueeze(2)) if grouped else (k, v)
    share = torch.exp(as_statistics(block_scores(q, k, bias, scale, causal, run, order, first, stride)) - lse.unsqueeze(-1))
    mean = (as_statistics(do) * as_statistics(o)).sum(dim=-1, keepdim=True)
    slope = share * (block_dropout(as_statistics(torch.matmul(do, wide_v.transpose(-1, -2))), dropout, seed) - mean)
    narrow = (scale * slope).to(q.dtype)
    dq = torch.matmul(narrow, wide_k)
    dk = torch.matmul(narrow.transpose(-1, -2), q)
    dv = torch.matmul(block_dropout(share, dropout, seed).to(v.dtype).transpose(-1, -2), do)
    results = (dq, dk.sum(dim=2), dv.sum(dim=2)) if grouped else (dq, dk, dv)
    return results if outputs == 3 else (*results, slope.sum_to_size(bias.shape).to(bias.dtype))


def merge_attention(o1, lse1, o2, lse2):
    """The online softmax: attention to two blocks of keys from attention to each."""
    lse = torch.logaddexp(lse1, lse2)
    shares = [torch.nan_to_num(torch.exp(part - lse), nan=0.0).unsqueeze(-1) for part in (lse1, lse2)]
    return (shares[0] * o1 + shares[1] * o2).to(o1.dtype), lse


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
    result, update = cache.clone(), update.to(cache.dtype)
    # Floats of a byte have few kernels.
    target, update = (x.view(torch.uint8) if x.element_size() == 1 else x for x in (result, update))
    for sample in range(cache.shape[0]):
        start = int(places[sample]) if places is not None else 0
        rows = (start + torch.arange(update.shape[axis], device=cache.device)) % cache.shape[axis]
        target[sample] = target[sample].index_copy(axis - 1, rows, update[sample])
    return result
