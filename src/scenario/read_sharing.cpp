#include <numeric>

#include "foreflow/transform/spread.h"
#include "scenario/read.h"

namespace foreflow::scenario {
namespace {

constexpr int64_t kMostRanks = 1 << 20;

bool has_experts(const Workload& workload) {
  if (workload.family == nullptr) return true;  // a file may have them; the pass says where it has not
  return workload.family->traits.has_experts;
}

// Where sequence parallelism cuts positions too, each of its parts is divided.
void check_context(const JsonView& json, const JsonView& sizes, bool experts, const Strategy& strategy) {
  const int64_t sequence = stated(sizes, "sequence"), groups = std::max<int64_t>(stated(sizes, "routing_groups"), 1);
  const int64_t parts = json.bool_or("sequence_parallel", false) ? strategy.tp : 1;
  const int cp        = strategy.cp;
  if (sequence > 0) check_divides(json, "cp", cp, sequence, "the sequence length " + std::to_string(sequence));
  if (sequence > 0 && sequence % (cp * parts) != 0)
    json.at("cp").fail(std::to_string(cp) + " times the " + std::to_string(parts) +
                       " parts of sequence_parallel do not divide the sequence length " + std::to_string(sequence) +
                       "; pad it to a multiple of " + std::to_string(cp * parts));
  if (experts && groups % (cp * parts) != 0)
    json.at("cp").fail(
        (parts == 1 ? std::to_string(cp) + " does"
                    : std::to_string(cp) + " times the " + std::to_string(parts) + " parts of sequence_parallel do") +
        " not divide the " + std::to_string(groups) +
        " groups that a sample is routed in; set workload.routing_groups to a multiple of " +
        (parts == 1 ? "it" : std::to_string(cp * parts)));
}

// Heads are those of keys and values, of one tensor-parallel rank.
void read_context_attention(const JsonView& json, const JsonView& sizes, bool experts, Strategy& strategy) {
  using enum transform::ContextAttention;
  if (!json.has("context_attention")) return;
  const JsonView own         = json.at("context_attention");
  strategy.context_attention = transform::context_attention_named(own.as_string(), own.where());
  const int64_t heads        = stated(sizes, "kv_heads") > 0 ? stated(sizes, "kv_heads") : stated(sizes, "heads");
  if (strategy.context_attention == all_to_all && heads / strategy.tp % strategy.cp != 0)
    own.fail("cp = " + std::to_string(strategy.cp) + " does not divide the " + std::to_string(heads / strategy.tp) +
             " heads of keys and values of a rank, which all_to_all shares; use ring, or a divisor of it");
  if (strategy.context_attention == striped_ring && experts)
    own.fail(
        "striped_ring deals positions out one by one, and tokens are routed to experts in groups of neighbours; use "
        "ring");
  const int both = std::gcd(strategy.cp, strategy.ep);
  if (strategy.fuses_attention() && strategy.context_attention != all_to_all && both > 1 && both < strategy.cp)
    own.fail("a ring of cp = " + std::to_string(strategy.cp) +
             " cannot be cut into groups that share experts, which ep = " + std::to_string(strategy.ep) +
             " asks for; use all_gather, or a multiple of cp as ep");
}

}  // namespace

void read_sharing(const JsonView& json, const Workload& workload, const JsonView& sizes, Strategy& strategy) {
  strategy.cp        = static_cast<int>(positive_or(json, "cp", 1, kMostRanks));
  strategy.ep        = static_cast<int>(positive_or(json, "ep", 1, kMostRanks));
  const bool experts = workload.family != nullptr && has_experts(workload);
  if (strategy.cp > 1 && sizes.string_or("phase", "") == "decode")
    json.at("cp").fail("decoding has one new token of each sample, which ranks cannot share; use 1, and dp, tp or pp");
  if (strategy.cp > 1) check_context(json, sizes, experts, strategy);
  read_context_attention(json, sizes, experts, strategy);
  if (strategy.ep == 1) return;
  if (!has_experts(workload))
    json.at("ep").fail("there are no experts in " + std::string(workload.family->name) + "; use 1, or the model moe");
  const int64_t count = stated(sizes, "experts"), ranks = int64_t{strategy.dp} * strategy.cp;
  if (count > 0) check_divides(json, "ep", strategy.ep, count, "the " + std::to_string(count) + " experts");
  check_divides(json, "ep", strategy.ep, ranks, "the dp x cp = " + std::to_string(ranks) + " ranks");
  const int replicas = transform::replicas_in_group(strategy.cp, strategy.ep);
  check_divides(json, "ep", strategy.ep, int64_t{strategy.dp} * strategy.ep / replicas,
                "dp times what it shares with cp, " + std::to_string(int64_t{strategy.dp} * strategy.ep / replicas));
}

}  // namespace foreflow::scenario
