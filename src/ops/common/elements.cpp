#include "ops/common/elements.h"

#include "foreflow/base/nth.h"
#include "ops/common/letters.h"

namespace foreflow::ops {

Offsets element_offsets(const OpCall& call, const Dims& data, const Array& indices, size_t axis) {
  Offsets strides      = strides_of(data);
  const int64_t stride = strides[axis], dim = data[axis];
  strides[axis]     = 0;
  Offsets offsets   = offsets_of(indices.dims(), strides);
  const auto chosen = indices.to_ints();
  for (size_t d = 0; d < data.size(); ++d) {
    if (d != axis && indices.dims()[d] > data[d]) {
      call.fail("the indices are " + to_string(indices.dims()) + "; at most " + to_string(data) +
                " beside the axis would be right");
    }
  }
  for (size_t i = 0; i < offsets.size(); ++i) {
    const int64_t row = chosen[i] < 0 ? chosen[i] + dim : chosen[i];
    if (row < 0 || row >= dim) {
      call.fail("index " + std::to_string(chosen[i]) + " of a dimension of " + std::to_string(dim));
    }
    offsets[i] += row * stride;
  }
  return offsets;
}

void check_element_indices(const OpCall& call) {
  const Type data = tensor_operand(call, 0), indices = tensor_operand(call, 1);
  if (indices.is_tensor() && ir::is_float(indices.dtype)) call.fail("the indices are floats; integers would be right");
  if (has_rank(data) && has_rank(indices) && data.dims.size() != indices.dims.size()) {
    call.fail("the indices are " + to_string(indices.dims) + "; the rank of the data, " + to_string(data.dims) +
              ", would be right");
  }
}

std::string element_letters(const OpCall& call, size_t axis) {
  const Dims data = tensor_operand(call, 0).dims, indices = tensor_operand(call, 1).dims;
  std::string text = letters(data.size());
  for (size_t d = 0; d < data.size(); ++d) {
    if (d == axis || data[d] != indices[d]) text[d] = '.';
  }
  return text;
}

int emit_zeros(GradBuilder& builder, size_t axis) {
  const Type data = tensor_operand(builder.call(), 0);
  if (!has_dims(data)) builder.call().fail("the shape of the data must be known to differentiate");
  std::vector<int64_t> shape(data.dims.begin(), data.dims.end());
  const Type result      = builder.call().def.infer(builder.call())[0];
  const bool is_repeated = axis > 0 && has_dims(result) && result.dims[0] == data.dims[0] && data.dims[0] > 0;
  if (is_repeated) shape[0] = 1;
  const int zeros = builder.emit("ConstantOfShape", {{"shape", shape}, {"value", Array(data.dtype, {1})}}, {})[0];
  if (!is_repeated) return zeros;
  const Attributes first{{"dim", int64_t{0}}, {"like_dim", int64_t{0}}};
  return builder.emit("RepeatLike", first, {zeros, builder.output_gradient(0)})[0];
}

Array scattered(const OpCall& call, const Array& data, const Offsets& offsets, const Array& updates) {
  const std::string reduction = call.attributes.string_or("reduction", "none");
  if (static_cast<size_t>(updates.size()) != offsets.size()) {
    call.fail("there are not as many updates as indexed elements");
  }
  return with_number_type(data.dtype(), [&](auto zero) {
    using T                    = decltype(zero);
    std::vector<T> values      = values_of<T>(data);
    const std::vector<T> fresh = values_of<T>(updates);
    for (size_t i = 0; i < offsets.size(); ++i) {
      T& value = nth(values, offsets[i]);
      value    = combined(call, reduction, value, fresh[i]);
    }
    return array_of<T>(data.dtype(), data.dims(), values);
  });
}

}  // namespace foreflow::ops
