#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::dp_key {

StrategyKeyDef row() {
  return {.name     = "dp",
          .doc      = "replicas, each of which has its share of the batch; devices are dp x cp x tp x pp",
          .type     = degree_type(),
          .fallback = 1,
          .read     = read_degree<&Strategy::dp>,
          .write    = write_member<&Strategy::dp>,
          .search   = {.searched = Searched::always, .turn = 1, .is_degree = true}};
}

}  // namespace foreflow::scenario::definitions::dp_key
