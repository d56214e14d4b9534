#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::scatter_gather_key {

StrategyKeyDef row() {
  return {
      .name = "scatter_gather",
      .doc =
          "with tp and pp, without sequence_parallel: what all ranks of a tensor-parallel group have crosses to the "
          "next stage in parts, one from each rank, and is gathered there (Megatron-LM's "
          "scatter-gather-tensors-in-pipeline; Narayanan et al., 2021); else every rank sends the whole",
      .type       = types::flag(),
      .fallback   = false,
      .read       = read_flag<&Strategy::scatter_gather>,
      .depends_on = {"scatter_gather"},
      .write      = write_member<&Strategy::scatter_gather>};
}

}  // namespace foreflow::scenario::definitions::scatter_gather_key
