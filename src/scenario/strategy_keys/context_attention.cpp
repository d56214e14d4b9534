#include "foreflow/transform/split_data.h"
#include "scenario/idle_reasons.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::context_attention_key {
namespace {

void read(const JsonView& value, Strategy& strategy) {
  strategy.context_attention = transform::context_attention_named(value.as_string(), value.where());
}

Json write(const Strategy& strategy) { return transform::name(strategy.context_attention); }

// Heads are those of keys and values, of one tensor-parallel rank.
std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  using enum transform::ContextAttention;
  const auto refused     = [&](const std::string& why) { return source.refused("context_attention", why); };
  const int64_t kv_heads = source.workload.size("kv_heads");
  const int64_t heads    = kv_heads > 0 ? kv_heads : source.workload.size("heads");
  const bool one_cp      = strategy.stage_cp.empty();  // otherwise checked stage by stage
  if (one_cp && strategy.context_attention == all_to_all && heads / strategy.tp % strategy.cp != 0)
    return refused("cp = " + std::to_string(strategy.cp) + " does not divide the " +
                   std::to_string(heads / strategy.tp) +
                   " heads of keys and values of a rank, which all_to_all shares; use ring, or a divisor of it");
  const bool deals = strategy.context_attention == striped_ring || strategy.context_attention == striped_all_gather;
  if (deals && is_mixture_of_experts(source.workload))
    return refused(std::string(name(strategy.context_attention)) +
                   " deals positions out one by one, and tokens are routed to experts in groups of neighbours; use " +
                   (strategy.context_attention == striped_ring ? "ring" : "all_gather"));
  const int both = strategy.ep / transform::replicas_in_group(strategy.cp, strategy.ep);  // ranks of a context
  if (strategy.needs_fused_attention() && strategy.context_attention != all_to_all && both > 1 && both < strategy.cp)
    return refused("a ring of cp = " + std::to_string(strategy.cp) +
                   " cannot be cut into groups that share experts, which ep = " + std::to_string(strategy.ep) +
                   " asks for; use all_gather, or a multiple of cp as ep");
  return std::nullopt;
}

std::string idle(const Scenario& scenario) {
  const bool gathers = scenario.strategy.context_attention == transform::ContextAttention::all_gather;
  return unless(gathers || scenario.strategy.cp > 1, "cp is 1");
}

}  // namespace

StrategyKeyDef row() {
  return {.name           = "context_attention",
          .doc            = "how the ranks of cp see each other's keys and values",
          .type           = types::one_of(transform::context_attention_names()),
          .fallback       = "all_gather",
          .read           = read,
          .settle         = settle,
          .depends_on     = {"context_attention", "cp", "stage_cp", "ep", "tp"},
          .write          = write,
          .of_one_replica = true,
          .idle           = idle};
}

}  // namespace foreflow::scenario::definitions::context_attention_key
