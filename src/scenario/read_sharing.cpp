#include "foreflow/transform/spread.h"
#include "scenario/read.h"

namespace foreflow::scenario {
namespace {

constexpr int64_t kMostRanks = 1 << 20;

bool has_experts(const Workload& workload) {
  if (workload.family == nullptr) return true;  // a file may have them; the pass says where it has not
  for (const workload::Key& key : workload.family->keys) {
    if (key.name == "experts") return true;
  }
  return false;
}

// Where sequence parallelism cuts positions too, each of its parts is divided.
void check_context(const JsonView& json, const JsonView& sizes, bool experts, const Strategy& strategy) {
  const int64_t sequence = stated(sizes, "sequence"), groups = std::max<int64_t>(stated(sizes, "routing_groups"), 1);
  const int64_t parts    = json.bool_or("sequence_parallel", false) ? strategy.tp : 1;
  const int cp           = strategy.cp;
  if (sequence > 0) check_divides(json, "cp", cp, sequence, "the sequence length " + std::to_string(sequence));
  if (sequence > 0 && sequence % (cp * parts) != 0)
    json.at("cp").fail(std::to_string(cp) + " times the " + std::to_string(parts) + " parts of sequence_parallel do not divide the sequence length " +
                       std::to_string(sequence) + "; pad it to a multiple of " + std::to_string(cp * parts));
  if (experts && groups % (cp * parts) != 0)
    json.at("cp").fail((parts == 1 ? std::to_string(cp) + " does" : std::to_string(cp) + " times the " + std::to_string(parts) + " parts of sequence_parallel do") +
                       " not divide the " + std::to_string(groups) +
                       " groups that a sample is routed in; set workload.routing_groups to a multiple of " +
                       (parts == 1 ? "it" : std::to_string(cp * parts)));
}

}  // namespace

void read_sharing(const JsonView& json, const Workload& workload, const JsonView& sizes, Strategy& strategy) {
  strategy.cp        = static_cast<int>(positive_or(json, "cp", 1, kMostRanks));
  strategy.ep        = static_cast<int>(positive_or(json, "ep", 1, kMostRanks));
  const bool experts = workload.family != nullptr && has_experts(workload);
  if (strategy.cp > 1 && sizes.string_or("phase", "") == "decode")
    json.at("cp").fail("decoding has one new token of each sample, which ranks cannot share; use 1, and dp, tp or pp");
  if (strategy.cp > 1) check_context(json, sizes, experts, strategy);
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
