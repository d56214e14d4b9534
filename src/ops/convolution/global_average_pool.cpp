#include <numeric>

#include "ops/common/broadcast.h"
#include "ops/common/pool.h"

namespace foreflow::ops::definitions::global_average_pool {

OpDef row() {
  return {
      .name          = "GlobalAveragePool",
      .doc           = "x[n,c,..] -> the mean of each plane, [n,c,1..]",
      .whole_because = "it combines all numbers of a channel",
      .infer         = [](const OpCall& call) -> std::vector<Type> {
        const Type x = tensor_operand(call, 0);
        if (!has_rank(x)) return {x};
        if (x.dims.size() < 2) call.fail("x is " + to_string(x.dims) + "; it should be (N, C, ...)");
        return {with_dims(x, with_spatial(x.dims[0], x.dims[1], Sizes(x.dims.size() - 2, 1)))};
      },
      .factors = pool_factors,
      .work    = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, count_of(call.inputs[0])); },
      .eval    = [](const OpCall& call) -> std::vector<Array> {
        const Array& x    = value_of(call, 0);
        const auto values = values_of<double>(x);
        const auto planes = static_cast<size_t>(x.dims()[0] * x.dims()[1]);
        const auto plane  = static_cast<std::ptrdiff_t>(values.size() / std::max<size_t>(planes, 1));
        std::vector<double> means;
        for (auto start = values.begin(); start != values.end(); start += plane) {
          means.push_back(std::accumulate(start, start + plane, 0.0) / static_cast<double>(plane));
        }
        return {array_of(x.dtype(), with_spatial(x.dims()[0], x.dims()[1], Sizes(x.dims().size() - 2, 1)), means)};
      },
      .grad =
          [](GradBuilder& builder) {
            const Type x = tensor_operand(builder.call(), 0);
            if (!has_dims(x)) builder.call().fail("the shape must be known to differentiate");
            std::vector<int64_t> shape(x.dims.begin(), x.dims.end());
            shape[0] = shape[1] = 1;  // kept from the gradient, so that they may be split
            double area         = 1;
            for (const int64_t size : shape) area *= static_cast<double>(size);
            const int each = emit_op(builder, "Div", {builder.output_gradient(0), emit_number(builder, area)});
            builder.set_input_gradient(0, builder.emit("Expand", {{"shape", shape}}, {each})[0]);
          },
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({2, 4, 3, 3})}}, {{}, {f32({2, 2, 5})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::global_average_pool
