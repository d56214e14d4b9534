def square_loss(x, y, count):
    return (x - y) ** 2 / (count or x.shape[0])


def square_loss_grad(x, y, count):
    return 2 * (x - y) / (count or x.shape[0])


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
