#include <algorithm>

#include "ops/common/axes.h"
#include "ops/common/letters.h"
#include "ops/common/views.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::concat {

namespace {

std::vector<Type> operands_of(const OpCall& call) {
  if (call.arity() == 0) call.fail("has no operands; at least one would be right");
  std::vector<Type> operands;
  for (size_t i = 0; i < call.arity(); ++i) operands.push_back(tensor_operand(call, i));
  return operands;
}

int64_t either(const OpCall& call, int64_t a, int64_t b) {
  if (a == b || b == Dims::kUnknown) return a;
  if (a == Dims::kUnknown) return b;
  call.fail("dimensions " + std::to_string(a) + " and " + std::to_string(b) + " differ; only those along the axis may");
}

Dims joined(const OpCall& call, const std::vector<Type>& operands) {
  Dims result       = operands[0].dims;
  const size_t axis = normal_axis(call, call.attributes.get_int("axis"), result.size());
  for (size_t i = 1; i < operands.size(); ++i) {
    const Dims& dims = operands[i].dims;
    if (dims.size() != result.size()) call.fail("ranks differ: " + to_string(result) + " and " + to_string(dims));
    for (size_t d = 0; d < dims.size(); ++d) {
      if (d != axis) {
        result[d] = either(call, result[d], dims[d]);
      } else
        result[d] = result[d] == Dims::kUnknown || dims[d] == Dims::kUnknown ? Dims::kUnknown : result[d] + dims[d];
    }
  }
  return result;
}

std::vector<Type> infer(const OpCall& call) {
  const std::vector<Type> operands = operands_of(call);
  const std::optional<DType> dtype = common_dtype(call, operands);
  if (!dtype) return {Type{}};
  if (!std::all_of(operands.begin(), operands.end(), has_rank)) return {Type::unranked(*dtype)};
  return {Type::tensor(*dtype, joined(call, operands))};
}

// Equal parts keep their letter along the axis: the result is blocks of them.
Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const std::vector<Type> operands = operands_of(call);
  std::string text                 = letters(operands[0].dims.size());
  const size_t axis                = normal_axis(call, call.attributes.get_int("axis"), text.size());
  const bool equal =
      std::all_of(operands.begin(), operands.end(), [&](const Type& type) { return type.dims == operands[0].dims; });
  if (!equal) text[axis] = '.';
  const std::vector<std::string> inputs(operands.size(), text);
  return {.text    = factor_text(call, inputs, {text}),
          .blocked = equal ? text[axis] : char{0},
          .blocks  = equal ? static_cast<int>(operands.size()) : 1};
}

std::vector<Array> eval(const OpCall& call) {
  const Type type       = infer(call)[0];
  const size_t axis     = normal_axis(call, call.attributes.get_int("axis"), type.dims.size());
  const Offsets strides = strides_of(type.dims);
  Array result(type.dtype, type.dims);
  int64_t position = 0;
  for (size_t i = 0; i < call.arity(); ++i) {
    const Array& part = value_of(call, i);
    put(result, offsets_of(part.dims(), strides, position * strides[axis]), part);
    position += part.dims()[axis];
  }
  return {result};
}

void grad(GradBuilder& builder) {
  const OpCall& call               = builder.call();
  const std::vector<Type> operands = operands_of(call);
  if (!std::all_of(operands.begin(), operands.end(), has_dims)) call.fail("shapes must be known to differentiate");
  const size_t axis = normal_axis(call, call.attributes.get_int("axis"), operands[0].dims.size());
  std::vector<int64_t> sizes;
  for (const Type& operand : operands) sizes.push_back(operand.dims[axis]);
  Attributes attributes{{"axis", static_cast<int64_t>(axis)}};
  // Equal parts without their sizes: the sizes would be wrong once the dimension is split over devices.
  const bool equal = std::all_of(sizes.begin(), sizes.end(), [&](int64_t size) { return size == sizes[0]; });
  if (equal) {
    attributes.set("num_outputs", static_cast<int64_t>(sizes.size()));
  } else
    attributes.set("split", sizes);
  const std::vector<int> parts = builder.emit("Split", attributes, {builder.output_gradient(0)}, sizes.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    if (builder.wanted(i)) builder.set_input_gradient(i, parts[i]);
  }
}

}  // namespace

OpDef row() {
  return {
      .name = "Concat",
      .doc =
          "x0[a,n0,b], x1[a,n1,b], .. -> y[a,n0+n1+..,b] along `axis`; placed=1: written there by the ops that made "
          "them, which costs nothing",
      .role            = Role::view,
      .additive        = true,
      .aliases_operand = true,
      .joins_operands  = true,
      .whole_because   = "it joins its operands along that dimension",
      .infer           = infer,
      .factors         = factors,
      .work            = moves_unless_placed,
      .eval            = eval,
      .grad            = grad,
      .samples =
          [] {
            return std::vector<Sample>{{{{"axis", int64_t{1}}}, {f32({2, 4}), f32({2, 4})}},
                                       {{{"axis", int64_t{0}}}, {f32({1, 2}), f32({3, 2}), f32({2, 2})}},
                                       {{{"axis", int64_t{-1}}}, {i64({2}), i64({1})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::concat
