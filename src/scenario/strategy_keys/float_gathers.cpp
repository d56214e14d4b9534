#include "scenario/idle_reasons.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::float_gathers_key {

StrategyKeyDef row() {
  return {.name = "float_gathers",
          .doc =
              "with zero 3: weights of 16 bits are gathered in Float32 and converted where they arrive (FSDP's "
              "MixedPrecision without a param_dtype under torch.autocast, as Composer's DEFAULT; its PURE gathers 16 "
              "bits). Converted weights are kept for the backward pass, which converts only those that it reads to "
              "compute something again",
          .type        = types::flag(),
          .fallback    = false,
          .read        = read_flag<&Strategy::float_gathers>,
          .depends_on  = {"float_gathers"},
          .write       = write_member<&Strategy::float_gathers>,
          .of_replicas = true,
          .idle        = idle_flag<&Strategy::float_gathers, unless_weights_split>};
}

}  // namespace foreflow::scenario::definitions::float_gathers_key
