def margins_of(sizes, kernel, strides, dilations, pads, auto_pad):
    """(before, after) of each spatial dimension."""
    if auto_pad == "NOTSET":
        rank = len(sizes)
        return list(zip(pads[:rank], pads[rank:])) if pads else [(0, 0)] * rank
    if auto_pad == "VALID":
        return [(0, 0)] * len(sizes)
    margins = []
    for size, k, stride, dilation in zip(sizes, kernel, strides, dilations):
        total = max((-(-size // stride) - 1) * stride + (k - 1) * dilation + 1 - size, 0)
        before = total // 2 if auto_pad == "SAME_UPPER" else total - total // 2
        margins.append((before, total - before))
    return margins


def padded(x, margins, value):
    if not any(before or after for before, after in margins):
        return x
    return F.pad(x, [size for margin in reversed(margins) for size in margin], value=value)


def ceiled(margins, sizes, kernel, strides, dilations):
    """Room for a last window that reaches behind the padding, but does not begin there."""
    result = []
    for (before, after), size, k, stride, dilation in zip(margins, sizes, kernel, strides, dilations):
        room = size + before + after - (k - 1) * dilation - 1
        windows = -(-room // stride) + 1
        windows -= (windows - 1) * stride >= size + before
        result.append((before, after + max(0, (windows - 1) * stride - room)))
    return result


def conv(x, w, bias, strides, dilations, pads, auto_pad, group):
    rank = x.dim() - 2
    strides, dilations = strides or [1] * rank, dilations or [1] * rank
    x = padded(x, margins_of(x.shape[2:], w.shape[2:], strides, dilations, pads, auto_pad), 0)
    return (F.conv1d, F.conv2d, F.conv3d)[rank - 1](x, w, bias, strides, 0, dilations, group)


def conv_transpose(x, w, bias, strides, dilations, pads, output_padding, output_shape, auto_pad, group):
    rank = x.dim() - 2
    strides, dilations, extra = strides or [1] * rank, dilations or [1] * rank, output_padding or [0] * rank
    full = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[rank - 1]
    y = full(x, w, bias, strides, 0, 0, group, dilations)
    for axis in range(rank):
        size = y.shape[axis + 2] + extra[axis]
        before, after = (pads[axis], pads[axis + rank]) if pads else (0, 0)
        if output_shape or auto_pad.startswith("SAME"):
            wanted = output_shape[axis] if output_shape else x.shape[axis + 2] * strides[axis]
            total = max(size - wanted, 0)
            before = total // 2 if auto_pad == "SAME_UPPER" else total - total // 2
            after = size - wanted - before
        margins = [0, 0] * (rank - axis - 1) + [-before, extra[axis] - after]
        y = F.pad(y, margins) if bias is None else F.pad(y - channels(bias, y), margins) + channels(bias, y)
    return y


def conv_weight_grad(x, dy, kernel, strides, dilations, pads, auto_pad, group):
    rank = x.dim() - 2
    strides, dilations = strides or [1] * rank, dilations or [1] * rank
    x = padded(x, margins_of(x.shape[2:], kernel, strides, dilations, pads, auto_pad), 0)
    like = x.new_empty([dy.shape[1], x.shape[1] // group] + kernel)
    fixed = (None, strides, [0] * rank, dilations, False, [0] * rank, group)
    return torch.ops.aten.convolution_backward(dy, x, like, *fixed, [False, True, False])[1]


def channels(bias, y):
    return bias.reshape((1, -1) + (1,) * (y.dim() - 2))


def max_pool(x, kernel, strides, dilations, pads, auto_pad, ceil_mode, storage_order, outputs):
    rank = x.dim() - 2
    strides, dilations = strides or [1] * rank, dilations or [1] * rank
    margins = margins_of(x.shape[2:], kernel, strides, dilations, pads, auto_pad)
    margins = ceiled(margins, x.shape[2:], kernel, strides, dilations) if ceil_mode else margins
    pool = (F.max_pool1d, F.max_pool2d, F.max_pool3d)[rank - 1]
    if outputs == 1:
        return pool(padded(x, margins, -inf), kernel, strides, 0, dilations)
    y, place = pool(padded(x, margins, -inf), kernel, strides, 0, dilations, return_indices=True)
    at, number, step = [], torch.zeros_like(place), 1
    for axis in reversed(range(rank)):  # of the padded plane, row-major
        size = x.shape[axis + 2] + sum(margins[axis])
        at.append(place % size - margins[axis][0])
        place = torch.div(place, size, rounding_mode="floor")
    at.reverse()
    for axis in range(rank) if storage_order else reversed(range(rank)):
        number = number + at[axis] * step
        step *= x.shape[axis + 2]
    planes = torch.arange(x.shape[0] * x.shape[1], device=x.device).reshape(x.shape[:2] + (1,) * rank)
    return y, number + planes * step


def max_pool_grad(x, dy, kernel, strides, dilations, pads, auto_pad, ceil_mode):
    """The first of the largest elements under a window takes its gradient."""
    rank = x.dim() - 2
    strides, dilations = strides or [1] * rank, dilations or [1] * rank
    margins = margins_of(x.shape[2:], kernel, strides, dilations, pads, auto_pad)
    margins = ceiled(margins, x.shape[2:], kernel, strides, dilations) if ceil_mode else margins
    filled = padded(x, margins, -inf)
    pool = (F.max_pool1d, F.max_pool2d, F.max_pool3d)[rank - 1]
    place = pool(filled, kernel, strides, 0, dilations, return_indices=True)[1]
    dx = torch.zeros_like(filled).flatten(2).scatter_add_(2, place.flatten(2), dy.flatten(2)).reshape(filled.shape)
    for axis in range(rank):
        dx = dx.narrow(axis + 2, margins[axis][0], x.shape[axis + 2])
    return dx


def average_pool(x, kernel, strides, dilations, pads, auto_pad, ceil_mode, count_include_pad):
    """A convolution of each plane with ones over one of what counts, so that dilations and any padding are right."""
    rank = x.dim() - 2
    strides, dilations = strides or [1] * rank, dilations or [1] * rank
    margins = margins_of(x.shape[2:], kernel, strides, dilations, pads, auto_pad)
    wide = ceiled(margins, x.shape[2:], kernel, strides, dilations) if ceil_mode else margins
    behind = [(0, after - inner) for (_, after), (_, inner) in zip(wide, margins)]
    ones = torch.ones([1, 1] + list(kernel), dtype=x.dtype, device=x.device)
    slide = (F.conv1d, F.conv2d, F.conv3d)[rank - 1]
    planes = padded(x.reshape([-1, 1] + list(x.shape[2:])), wide, 0)
    counted = torch.ones([1, 1] + list(x.shape[2:]), dtype=x.dtype, device=x.device)
    counted = padded(padded(counted, margins, 1 if count_include_pad else 0), behind, 0)
    y = slide(planes, ones, None, strides, 0, dilations) / slide(counted, ones, None, strides, 0, dilations)
    return y.reshape(x.shape[:2] + y.shape[2:])


def resize(
    operands, scales, sizes, axes, mode, coordinates, rounding, a, exclude_outside, antialias, extrapolation_value,
    policy,
):
    """One axis after the other: each element is a weighted sum of those around the place that it is taken from."""
    x, *rest = operands
    if len(rest) == 1 and scales is None and sizes is None:  # before opset 11: x, scales
        rest = [None, rest[0]]
    roi, given_scales, given_sizes = (rest + [None] * 3)[:3]
    axes = [axis_of(axis, x.dim()) for axis in (range(x.dim()) if axes is None else axes)]
    scales, sizes = given_scales if scales is None else scales, given_sizes if sizes is None else sizes
    sizes = [] if sizes is None else ints(sizes)
    scales = scales.tolist() if torch.is_tensor(scales) else scales
    begins = [0.0] * len(axes) + [1.0] * len(axes) if roi is None else roi.tolist()
    if sizes:
        scales = [size / x.shape[axis] for size, axis in zip(sizes, axes)]
        if policy != "stretch":
            scales = [min(scales) if policy == "not_larger" else max(scales)] * len(axes)
            sizes = [int((scales[0] * x.shape[axis] + 0.5) // 1) for axis in axes]
    y = x
    for i, axis in enumerate(axes):
        before, scale = x.shape[axis], scales[i]
        if scale == 1 and coordinates != "tf_crop_and_resize":
            continue
        after = sizes[i] if sizes else int(before * scale // 1)
        at = torch.arange(after, dtype=float64, device=x.device)
        at = resize_places(at, before, scale, coordinates, begins[i], begins[i + len(axes)])
        column = [-1 if other == axis else 1 for other in range(x.dim())]
        if mode == "nearest":
            shift = {"round_prefer_floor": -0.5, "round_prefer_ceil": 0.5}.get(rounding, 0)
            low = (torch.ceil if rounding in ("round_prefer_floor", "ceil") else torch.floor)(at + shift)
            y = torch.index_select(y, axis, low.clamp(0, before - 1).to(int64))
        else:
            stretch = min(scale, 1.0) if antialias else 1.0
            taps = resize_taps(at, before, stretch, mode, a, exclude_outside)
            total = sum(weight for _, weight in taps)
            y = sum(torch.index_select(y, axis, index) * (weight / total).reshape(column) for index, weight in taps)
        if coordinates == "tf_crop_and_resize":
            outside = ((at < 0) | (at > before - 1)).reshape(column)
            y = torch.where(outside, torch.full_like(y, extrapolation_value), y)
    return y.to(x.dtype)


def resize_places(at, before, scale, coordinates, begin, end):
    """Where the elements of the result lie among those of the operand: the formulas of ONNX."""
    after = scale * before
    if coordinates == "half_pixel" or coordinates == "pytorch_half_pixel" and after > 1:
        return (at + 0.5) / scale - 0.5
    if coordinates == "half_pixel_symmetric":
        return before / 2 * (1 - after // 1 / after) + (at + 0.5) / scale - 0.5
    if coordinates == "asymmetric":
        return at / scale
    if coordinates == "tf_half_pixel_for_nn":
        return (at + 0.5) / scale
    if coordinates == "tf_crop_and_resize":
        if after == 1:
            return at * 0 + (begin + end) * (before - 1) / 2
        return begin * (before - 1) + at * (end - begin) * (before - 1) / (after - 1)
    if coordinates == "align_corners" and after != 1:
        return at * (before - 1) / (after - 1)
    if coordinates not in ("align_corners", "pytorch_half_pixel"):
        raise ValueError("Resize has no coordinate_transformation_mode " + coordinates)
    return at * 0


def resize_taps(at, before, stretch, mode, a, exclude_outside):
    """(index, weight) of the elements around each place; cubic: Keys, 1981."""
    if mode not in ("linear", "cubic"):
        raise ValueError("Resize has no mode " + mode)
    first = int(-(1 if mode == "linear" else 2) / stretch // 1) + 1
    taps = []
    for i in range(first, 2 - first):
        index = torch.floor(at) + i
        d = torch.abs(index - at) * stretch
        if mode == "linear":
            weight = (1 - d).clamp(min=0)
        else:
            far = torch.where(d < 2, ((a * d - 5 * a) * d + 8 * a) * d - 4 * a, torch.zeros_like(d))
            weight = torch.where(d <= 1, ((a + 2) * d - (a + 3)) * d * d + 1, far)
        if exclude_outside:
            weight = torch.where((index < 0) | (index >= before), torch.zeros_like(weight), weight)
        taps.append((index.clamp(0, before - 1).to(int64), weight))
    return taps
