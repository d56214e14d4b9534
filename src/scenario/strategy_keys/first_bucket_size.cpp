#include <fmt/core.h>

#include "scenario/idle_reasons.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::first_bucket_size_key {
namespace {

void read(const JsonView& value, Strategy& strategy) { strategy.first_bucket = value.as_bytes(); }

std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  if (!source.has("first_bucket_size")) strategy.first_bucket = Bytes(0);
  return std::nullopt;
}

Json write(const Strategy& strategy) {
  return strategy.first_bucket == Bytes(0) ? Json() : Json(fmt::format("{}B", strategy.first_bucket.value()));
}

std::string idle(const Scenario& scenario) {
  const std::string alone = unless_copied(scenario);
  return alone.empty() ? unless(scenario.strategy.bucket > Bytes(0), "gradients travel one by one") : alone;
}

}  // namespace

StrategyKeyDef row() {
  return {.name        = "first_bucket_size",
          .doc         = "size of the first bucket of a backward pass, which is small where its sum is to begin early",
          .type        = types::bytes(),
          .otherwise   = "that of the others, `bucket_size`",
          .read        = read,
          .settle      = settle,
          .depends_on  = {"first_bucket_size"},
          .write       = write,
          .of_replicas = true,
          .idle        = idle};
}

}  // namespace foreflow::scenario::definitions::first_bucket_size_key
