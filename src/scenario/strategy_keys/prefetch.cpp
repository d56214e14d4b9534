#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::prefetch_key {

StrategyKeyDef row() {
  return {.name = "prefetch",
          .doc =
              "with zero 3 and overlap_gradients: the next unit of weights is gathered while one is in use, in the "
              "forward and in the backward pass (FSDP's backward_prefetch pre); false: once it is needed",
          .type       = types::flag(),
          .fallback   = true,
          .read       = read_flag<&Strategy::prefetch>,
          .depends_on = {"prefetch"},
          .write      = write_member<&Strategy::prefetch>};
}

}  // namespace foreflow::scenario::definitions::prefetch_key
