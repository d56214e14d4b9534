#include "scenario/idle_reasons.h"
#include "scenario/read.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::overlap_tensor_key {
namespace {

constexpr int64_t kMostChunks = 64;

void read(const JsonView& value, Strategy& strategy) {
  strategy.tensor_chunks = static_cast<int>(positive(value, kMostChunks));
}

std::vector<Json> legal(const SpaceFacts&, const Json& point) {
  return whole_or(point, "tp", 1) == 1 ? words({}) : whole_values({1, 2, 4});
}

std::string idle(const Scenario& scenario) {
  return scenario.strategy.tensor_chunks > 1 ? unless_sharded(scenario) : "";
}

}  // namespace

StrategyKeyDef row() {
  return {
      .name = "overlap_tensor",
      .doc =
          "the number of chunks into which a product is cut whose results are summed over a tensor-parallel group: "
          "the sum of one chunk travels (`D1.tp`) while the next one is computed; in the backward pass, the gradient "
          "of the weight hides the last one. With sequence_parallel what is gathered goes round a ring beside the "
          "products that read it, or, for gradients of weights, travels beside those of activations. A search tries 1, "
          "2 and 4",
      .type        = types::whole(1, kMostChunks),
      .fallback    = 1,
      .read        = read,
      .write       = write_member<&Strategy::tensor_chunks>,
      .of_replicas = true,
      .search      = {.searched = Searched::always,
                      .turn     = 120,
                      .legal    = legal,
                      .fastest  = Open::last,
                      .leanest  = Open::last,
                      .refines  = true},
      .idle        = idle};
}

}  // namespace foreflow::scenario::definitions::overlap_tensor_key
