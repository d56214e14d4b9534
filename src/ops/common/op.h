// Included by every definition of an op: names from ir without their prefix, and access to operands.
#pragma once

#include "foreflow/ir/op_def.h"

namespace foreflow::ops {

using ir::Array;
using ir::Attributes;
using ir::CallBuilder;
using ir::Chain;
using ir::Copy;
using ir::Dims;
using ir::DType;
using ir::Factors;
using ir::GradBuilder;
using ir::InPlace;
using ir::OpCall;
using ir::OpDef;
using ir::Role;
using ir::Type;
using ir::Work;
using Sample = OpDef::Sample;

// The operand as a tensor without device: a scalar counts as rank 0; unknown stays unknown. Fails for a tuple, and for
// an operand left out.
Type tensor_operand(const OpCall& call, size_t index);

// The dtype of the first of `operands` whose type is known; fails when two of them differ. Null: none is known.
std::optional<DType> common_dtype(const OpCall& call, std::span<const Type> operands);

// `tensor` with other dimensions; unknown stays unknown.
Type with_dims(const Type& tensor, const Dims& dims);
// Its dtype with nothing known about the shape.
Type without_dims(const Type& tensor);
// has_rank returns true if the rank is known, has_dims if every dimension is known as well.
bool has_rank(const Type& type);
bool has_dims(const Type& type);

// The elements of an operand during evaluation. Fails if it is absent.
const Array& value_of(const OpCall& call, size_t index);

// f32 tensor of a sample.
Type f32(const Dims& dims);
Type i64(const Dims& dims);
Type boolean(const Dims& dims);

}  // namespace foreflow::ops
