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


def clip_gradients(*operands, max_norm):
    *gradients, squared_norm = operands
    factor = torch.clamp(max_norm / (torch.sqrt(squared_norm) + 1e-6), max=1)
    return [(gradient * factor).to(gradient.dtype) for gradient in gradients]


def squared_norm(*operands, copies):
    """`copies`: how many ranks hold each operand."""
    squares = [x.to(torch.promote_types(x.dtype, torch.float32)).square().sum() for x in operands]
    return sum(square / count for square, count in zip(squares, copies or [1] * len(operands)))
