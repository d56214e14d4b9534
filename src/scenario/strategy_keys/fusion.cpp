#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::fusion_key {

StrategyKeyDef row() {
  return {
      .name = "fusion",
      .doc =
          "element-wise ops and norms that follow each other are one kernel: what one makes and the next reads "
          "stays on the chip, and is written only if something else reads it (norm with residual, SwiGLU, GELU "
          "with bias, scale with mask); what the gradient of such a kernel makes again is not kept (silu of SwiGLU)",
      .type           = types::flag(),
      .fallback       = false,
      .read           = read_flag<&Strategy::fuses>,
      .depends_on     = {"fusion"},
      .write          = write_member<&Strategy::fuses>,
      .of_one_replica = true};
}

}  // namespace foreflow::scenario::definitions::fusion_key
