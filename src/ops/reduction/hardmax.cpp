#include <algorithm>

#include "foreflow/base/nth.h"
#include "ops/common/softmax_family.h"

namespace foreflow::ops::definitions::hardmax {

OpDef row() {
  return {
      .name = "Hardmax",
      .doc  = "1 at the first of the largest elements along `axis`, else 0; flatten = 1: along all axes from `axis` on",
      .whole_because = "it compares all elements along that dimension",
      .infer         = infer_softmax,
      .factors       = softmax_factors,
      .work          = softmax_work,
      .eval =
          [](const OpCall& call) {
            return eval_softmax(call, [](std::vector<double>& lane) {
              const auto best = std::max_element(lane.begin(), lane.end()) - lane.begin();
              std::fill(lane.begin(), lane.end(), 0);
              if (!lane.empty()) nth(lane, best) = 1;
            });
          },
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({2, 4, 3})}}, {{{"axis", 1}, {"flatten", 1}}, {f32({4, 2, 3})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::hardmax
