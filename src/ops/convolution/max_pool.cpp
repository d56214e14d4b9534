#include <limits>

#include "foreflow/base/nth.h"
#include "ops/common/pool.h"
#include "ops/common/views.h"

namespace foreflow::ops::definitions::max_pool {

namespace {

std::vector<Type> infer_max(const OpCall& call) {
  const Type y = infer_pool(call);
  if (call.outputs < 2) return {y};
  return {y, has_rank(y) ? i64(y.dims) : Type::unranked(DType::i64)};
}

// The numbers that Indices gives to the elements of a plane: row-major, or column-major with storage_order = 1.
Offsets numbering(const OpCall& call, const Sizes& sizes) {
  Offsets strides(sizes.size(), 1);
  if (call.attributes.int_or("storage_order", 0) == 0) {
    for (size_t axis = sizes.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * sizes[axis];
  } else {
    for (size_t axis = 1; axis < sizes.size(); ++axis) strides[axis] = strides[axis - 1] * sizes[axis - 1];
  }
  return offsets_of(sizes, strides);
}

std::vector<Array> eval_max(const OpCall& call) {
  const Array& x      = value_of(call, 0);
  const Window window = pool_window(call, x.dims());
  const auto elements = covered(window);
  const auto values   = values_of<double>(x);
  const auto numbers  = numbering(call, window.input);
  const size_t plane = numbers.size(), taps = static_cast<size_t>(window.taps()),
               positions = static_cast<size_t>(window.positions());
  std::vector<double> y;
  std::vector<int64_t> indices;
  for (size_t start = 0; start < values.size(); start += plane) {
    for (size_t position = 0; position < positions; ++position) {
      double largest = -std::numeric_limits<double>::infinity();
      int64_t index  = 0;
      for (size_t tap = 0; tap < taps; ++tap) {
        const int64_t element = elements[position * taps + tap];
        if (element < 0 || values[start + static_cast<size_t>(element)] <= largest) continue;
        largest = values[start + static_cast<size_t>(element)];
        index   = static_cast<int64_t>(start) + nth(numbers, element);
      }
      y.push_back(largest);
      indices.push_back(index);
    }
  }
  const Dims dims = with_spatial(x.dims()[0], x.dims()[1], window.output);
  std::vector<Array> outputs{array_of(x.dtype(), dims, y)};
  if (call.outputs > 1) outputs.push_back(array_of(DType::i64, dims, indices));
  return outputs;
}

// Indices count over the whole tensor, so a part of n or c would number its elements otherwise.
Factors max_factors(const OpCall& call) {
  if (call.outputs > 1) return {};
  return pool_factors(call);
}

}  // namespace

OpDef row() {
  return {
      .name          = "MaxPool",
      .doc           = "x[n,c,..] -> the largest element under each position of the window, and its index in x",
      .whole_because = "its windows reach across that dimension, and its indices count over the whole batch",
      .infer         = infer_max,
      .factors       = max_factors,
      .work          = pool_work,
      .eval          = eval_max,
      .grad =
          [](GradBuilder& builder) {
            Attributes attributes = builder.call().attributes;
            attributes.erase("storage_order");
            const std::vector<int> operands{builder.input(0), builder.output_gradient(0)};
            builder.set_input_gradient(0, builder.emit("MaxPoolGrad", attributes, operands)[0]);
          },
      .samples =
          [] {
            return std::vector<Sample>{
                {{{"kernel_shape", std::vector<int64_t>{2, 2}}, {"strides", std::vector<int64_t>{2, 2}}},
                 {f32({2, 2, 4, 6})}},
                {.attributes = {{"kernel_shape", std::vector<int64_t>{3}},
                                {"pads", std::vector<int64_t>{1, 1}},
                                {"strides", std::vector<int64_t>{2}},
                                {"ceil_mode", 1}},
                 .inputs     = {f32({2, 2, 6})},
                 .outputs    = 2}};
          },
  };
}

}  // namespace foreflow::ops::definitions::max_pool
