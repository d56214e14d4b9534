#include <cmath>

#include "ops/common/norm_gradient.h"
#include "ops/common/planes.h"

namespace foreflow::ops::definitions::global_lp_pool {

OpDef row() {
  return {
      .name          = "GlobalLpPool",
      .doc           = "x[n,c,..] -> (sum of |x|^p)^(1/p) of each plane, [n,c,1..]",
      .whole_because = "it combines all numbers of a channel",
      .infer         = [](const OpCall& call) -> std::vector<Type> { return {infer_plane(call)}; },
      .factors       = pool_factors,
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return computes(call, outputs, (kTranscendental + 2) * count_of(call.inputs[0]));
          },
      .eval = [](const OpCall& call) -> std::vector<Array> {
        const double p = norm_of(call);
        return {map_planes(call, [p](std::span<const double> plane) {
          double sum = 0;
          for (const double value : plane) sum += std::pow(std::abs(value), p);
          return std::pow(sum, 1 / p);
        })};
      },
      .grad =
          [](GradBuilder& builder) {
            const int pull = norm_pull(builder);
            builder.set_input_gradient(0, builder.emit("Mul", {}, {norm_slope(builder), pull})[0]);
          },
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({2, 4, 3, 3})}}, {{{"p", 3}}, {f32({2, 2, 5})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::global_lp_pool
