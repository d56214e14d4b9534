#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::fusion_key {

StrategyKeyDef row() {
  return {.name = "fusion",
          .doc =
              "element-wise ops and norms that follow each other are one kernel: what one makes and the next reads "
              "stays on the chip, and is written only if something else reads it (norm with residual, SwiGLU, GELU "
              "with bias, scale with mask)",
          .type       = types::flag(),
          .fallback   = false,
          .read       = read_flag<&Strategy::fuses>,
          .depends_on = {"fusion"},
          .write      = write_member<&Strategy::fuses>};
}

}  // namespace foreflow::scenario::definitions::fusion_key
