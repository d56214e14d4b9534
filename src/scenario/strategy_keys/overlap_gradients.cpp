#include "scenario/idle_reasons.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::overlap_gradients_key {
namespace {

std::vector<Json> legal(const SpaceFacts& facts, const Json& point) {
  return has_copies(facts, point) ? yes_or_no() : words({});
}

}  // namespace

StrategyKeyDef row() {
  return {.name = "overlap_gradients",
          .doc =
              "gradients are summed on a stream of their own (`D1.comm`), bucket by bucket, as soon as they are made; "
              "with `zero` 3 the next weights are gathered there while the present ones are at work",
          .type        = types::flag(),
          .fallback    = false,
          .read        = read_flag<&Strategy::overlap_gradients>,
          .write       = write_member<&Strategy::overlap_gradients>,
          .of_replicas = true,
          .search      = {.searched = Searched::always,
                          .turn     = 100,
                          .legal    = legal,
                          .fastest  = Open::last,
                          .leanest  = Open::last,
                          .refines  = true},
          .idle        = idle_flag<&Strategy::overlap_gradients, unless_copied>};
}

}  // namespace foreflow::scenario::definitions::overlap_gradients_key
