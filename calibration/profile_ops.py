"""The table OPS: what PyTorch runs for each op of an events list, for profile.py."""
from typing import Callable, NamedTuple, Optional

import torch
import torch.nn.functional as F

import profile_attention as attention
import profile_kernels as kernels


class Op(NamedTuple):
    """run(*operands, **attributes) is timed; if it is prepared, what run(results, *operands, **attributes) returns.

    An absent operand is None, and so is a result that a kernel keeps for itself. `results` are the types of the results.
    """

    run: Callable
    attributes: tuple = ()  # that it takes; an event with others is not measured
    prepared: bool = False
    below: Optional[Callable] = None  # (types of operands, attributes) -> what its integer operands are below
    positive: bool = False  # whether its operands have to be


ATTENTION = ("scale", "dropout", *attention.MASKING)
CONV = ("kernel_shape", "strides", "dilations", "pads", "group")
CROSS_ENTROPY = ("reduction", "ignore_index", "count")
POOL = ("kernel_shape", "strides", "dilations", "pads", "ceil_mode")
SOFTMAX = ("axis", "flatten")
PARTS = ("all", "first")


def classes(types, _):
    return types[0].shape[1]


def all_rows(_, attributes):
    return attributes["all"]


OPS = {
    "AdamOptimizer": Op(kernels.adam, ("lr", "beta1", "beta2", "epsilon", "weight_decay", "step"), prepared=True, positive=True),
    "BatchNormalization": Op(kernels.batch_norm, ("epsilon", "momentum", "training_mode"), prepared=True, positive=True),
    "BatchNormalizationGrad": Op(kernels.batch_norm_grad, ("epsilon",), positive=True),
    "BiasGelu": Op(lambda x, bias: F.gelu(x + bias)),
    "BlockAttention": Op(attention.block_attention, ATTENTION, prepared=True),
    "BlockAttentionGrad": Op(attention.block_attention_grad, ATTENTION, prepared=True),
    "Cast": Op(lambda results, x, to, of_sum=0: lambda: x.to(results[0].dtype), ("to", "of_sum"), prepared=True),
    "ClipGradients": Op(kernels.clip_gradients, ("max_norm",), positive=True),
    "Concat": Op(lambda *xs, axis: torch.cat(xs, axis), ("axis",)),
    "ConstantOfShape": Op(kernels.filled, ("value",), prepared=True),
    "Conv": Op(kernels.conv, CONV),
    "ConvTranspose": Op(kernels.conv_transpose, (*CONV, "output_padding")),
    "ConvWeightGrad": Op(kernels.conv_weight_grad, CONV, prepared=True),
    "CrossEntropyOfTerms": Op(kernels.cross_entropy_of_terms, (*CROSS_ENTROPY, "output_type", *PARTS), below=all_rows, positive=True),
    "CrossEntropyOfTermsGrad": Op(kernels.cross_entropy_of_terms_grad, (*CROSS_ENTROPY, *PARTS), below=all_rows, positive=True),
    "CrossEntropyTerms": Op(kernels.cross_entropy_terms, PARTS, below=all_rows),
    "Div": Op(kernels.divide, positive=True),
    "Dropout": Op(kernels.dropout, ("seed",), prepared=True),
    "DropoutGrad": Op(lambda dy, mask, ratio=None, training=None: torch.ops.aten.native_dropout_backward(dy, mask, 1 / 0.9)),
    "Einsum": Op(lambda *xs, equation: torch.einsum(equation, *xs), ("equation",)),
    "Expand": Op(lambda results, x, *shape, **_: lambda: x.expand(results[0].shape).clone(memory_format=torch.contiguous_format),
                 ("shape",), prepared=True),
    "FastGelu": Op(lambda x, *bias: F.gelu(kernels.of_many(torch.add)(x, *bias), approximate="tanh")),
    "FusedMatMul": Op(kernels.fused_matmul, ("alpha", "transA", "transB")),
    "Gather": Op(kernels.gather, ("axis",), below=lambda types, attributes: types[0].shape[attributes.get("axis", 0)]),
    "GatherGrad": Op(kernels.gather_grad, ("axis", "dim"), below=lambda _, attributes: attributes.get("dim", 1)),
    "GatherPart": Op(kernels.gather_part, PARTS, below=all_rows),
    "GatherPartGrad": Op(kernels.gather_part_grad, (*PARTS, "dim"), below=all_rows),
    "Gelu": Op(lambda x, approximate="none": F.gelu(x, approximate=approximate), ("approximate",)),
    "GeluGrad": Op(lambda x, dy, approximate="none": torch.ops.aten.gelu_backward(dy, x, approximate=approximate), ("approximate",)),
    "Gemm": Op(kernels.gemm, ("alpha", "beta", "transA", "transB")),
    "GlobalAveragePool": Op(lambda x: x.mean(list(range(2, x.dim())), keepdim=True)),
    "GroupNormalization": Op(lambda x, scale, bias, num_groups, epsilon=1e-5: F.group_norm(x, num_groups, scale, bias, epsilon),
                             ("num_groups", "epsilon")),
    "LayerNormalization": Op(kernels.layer_norm, ("axis", "epsilon"), prepared=True),
    "LayerNormalizationGrad": Op(kernels.layer_norm_grad, ("axis", "epsilon"), prepared=True),
    "LogSoftmax": Op(kernels.flattened(torch.log_softmax), SOFTMAX),
    "Loss": Op(lambda x, y, count=None: (x - y) ** 2 / (count or x.shape[0]), ("count",)),
    "LossGrad": Op(lambda x, y, count=None: (x - y).mul_(2 / (count or x.shape[0])), ("count",)),
    "MatMulGrad": Op(kernels.matmul_grad),
    "Max": Op(kernels.of_many(torch.maximum)),
    "MaxPool": Op(lambda results, x, **attributes: lambda: kernels.pool_of(x, **attributes)[: len(results)], POOL, prepared=True),
    "MaxPoolGrad": Op(kernels.max_pool_grad, POOL, prepared=True),
    "MergeAttention": Op(kernels.merge_attention),
    "Min": Op(kernels.of_many(torch.minimum)),
    "MoeCombine": Op(kernels.moe_combine, ("weighted",), prepared=True),
    "MoeDispatch": Op(kernels.moe_dispatch, ("capacity", "weighted"), prepared=True),
    "MoeGateGrad": Op(kernels.moe_gate_grad, prepared=True),
    "MomentumOptimizer": Op(kernels.momentum_step, ("lr", "momentum", "nesterov")),
    "Optimizer": Op(kernels.sgd, ("lr",)),
    "Pad": Op(kernels.pad, ("pads", "mode")),
    "QuickGelu": Op(kernels.quick_gelu, ("alpha",)),
    "QuickGeluGrad": Op(kernels.quick_gelu_grad, ("alpha",)),
    "Range": Op(kernels.ranged, prepared=True),
    "ReduceMax": Op(kernels.reduced(torch.amax), ("axes", "keepdims")),
    "ReduceMean": Op(kernels.reduced(torch.mean), ("axes", "keepdims")),
    "ReduceMin": Op(kernels.reduced(torch.amin), ("axes", "keepdims")),
    "ReduceSum": Op(kernels.reduced(torch.sum), ("axes", "keepdims")),
    "ReluGrad": Op(lambda y, dy: torch.ops.aten.threshold_backward(dy, y, 0)),
    "Resize": Op(kernels.resize, ("mode", "scales"), prepared=True),
    "ResizeGrad": Op(kernels.resize_grad, ("mode", "scales"), prepared=True),
    "RotaryEmbedding": Op(attention.rotary, ("interleaved", "num_heads"), prepared=True, below=lambda types, _: types[2].shape[0]),
    "SGDOptimizer": Op(kernels.sgd_all, ("lr",)),
    "SimplifiedLayerNormalization": Op(
        lambda results, x, scale, axis=-1, epsilon=1e-5: lambda: (kernels.rms(x, scale, axis, epsilon), None)[: len(results)],
        ("axis", "epsilon"), prepared=True,
    ),
    "SimplifiedLayerNormalizationGrad": Op(kernels.rms_norm_grad, ("axis", "epsilon"), prepared=True),
    "Slice": Op(kernels.take_slice, ("starts", "ends", "axes", "steps", "own_row")),
    "Softmax": Op(kernels.flattened(torch.softmax), SOFTMAX),
    "SoftmaxCrossEntropyLoss": Op(kernels.cross_entropy, CROSS_ENTROPY, prepared=True, below=classes),
    "SoftmaxCrossEntropyLossGrad": Op(kernels.cross_entropy_grad, CROSS_ENTROPY, prepared=True, below=classes),
    "SoftmaxGrad": Op(kernels.flattened(lambda y, dy, axis: torch.ops.aten._softmax_backward_data(dy, y, axis, y.dtype)), SOFTMAX),
    "Split": Op(kernels.split, ("axis", "num_outputs", "split"), prepared=True),
    "SquaredNorm": Op(kernels.squared_norm, ("copies",), prepared=True),
    "Sum": Op(kernels.of_many(torch.add)),
    "TopKMask": Op(kernels.top_k_mask, ("k",)),
    "Transpose": Op(lambda x, perm=None: x.permute(perm or list(range(x.dim()))[::-1]).contiguous(), ("perm",)),
    "Trilu": Op(kernels.triangle, ("upper",)),
    "Where": Op(torch.where),
}  # fmt: skip

PLAIN = {
    "Abs": torch.abs, "Add": torch.add, "And": torch.logical_and, "Cos": torch.cos, "Equal": torch.eq, "Erf": torch.erf, "Exp": torch.exp,
    "Greater": torch.gt, "GreaterOrEqual": torch.ge, "Less": torch.lt, "LessOrEqual": torch.le, "MatMul": torch.matmul, "Mul": torch.mul,
    "Neg": torch.neg, "Not": torch.logical_not, "Or": torch.logical_or, "Relu": torch.relu, "Sigmoid": torch.sigmoid, "Sign": torch.sign,
    "Sin": torch.sin, "Sub": torch.sub, "Tanh": torch.tanh,
}  # fmt: skip
OPS.update({name: Op(run) for name, run in PLAIN.items()})
OPS.update({name: Op(run, positive=True) for name, run in
            {"Log": torch.log, "Pow": torch.pow, "Reciprocal": torch.reciprocal, "Sqrt": torch.sqrt}.items()})  # fmt: skip

if not hasattr(F, "scaled_dot_product_attention"):  # before torch 2.1
    del OPS["BlockAttention"], OPS["BlockAttentionGrad"]
