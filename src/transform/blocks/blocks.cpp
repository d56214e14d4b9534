#include "transform/blocks/blocks.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "transform/blocks/op_sequence.h"
#include "transform/blocks/repeats.h"

namespace foreflow::transform {
namespace {

// How much is read for a block whose stretches turn out to pass values differently: visits per op of the module.
constexpr size_t kEffort = 64;

struct Candidate {
  const Repeat* repeat;
  int64_t saving, crossing;
};

// Best first; `find_repeats` makes no promise about its order, so that of the program decides among equals.
std::vector<Candidate> ranked(const std::vector<Repeat>& repeats, const OpSequence& sequence, int64_t call) {
  std::vector<Candidate> candidates;
  for (const Repeat& repeat : repeats) {
    int64_t crossing = 0;
    for (const size_t start : repeat.starts)
      crossing += sequence.crossing[start] + sequence.crossing[start + repeat.length];
    candidates.push_back({&repeat, repeat.saving(call), crossing});
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return std::tuple(-a.saving, a.crossing, a.repeat->starts.front(), a.repeat->length) <
           std::tuple(-b.saving, b.crossing, b.repeat->starts.front(), b.repeat->length);
  });
  return candidates;
}

// The origin of each operand: the index of its op within the run, or -1 if it is outside.
std::vector<int64_t> dataflow(const OpSequence& sequence, size_t start, size_t length) {
  std::vector<int64_t> sources;
  for (size_t i = start; i < start + length; ++i) {
    for (const OpSequence::Source& source : sequence.sources_of(i)) {
      const bool inside = source.place >= static_cast<int64_t>(start);
      sources.push_back(inside ? (source.place - static_cast<int64_t>(start)) * OpSequence::kMostResults + source.result
                               : -1);
    }
  }
  return sources;
}

// The starts that agree in their dataflow with most others.
Repeat agreeing(const Repeat& repeat, const OpSequence& sequence) {
  std::map<std::vector<int64_t>, std::vector<size_t>> groups;
  for (const size_t start : repeat.starts) groups[dataflow(sequence, start, repeat.length)].push_back(start);
  const auto largest = std::max_element(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.second.size(), b.second.front()) < std::tuple(b.second.size(), a.second.front());
  });
  return {repeat.length, largest->second};
}

Block block_of(const Repeat& repeat, const OpSequence& sequence) {
  Block block;
  for (const size_t start : repeat.starts) {
    const auto first = sequence.ops.begin() + static_cast<std::ptrdiff_t>(start);
    block.occurrences.emplace_back(first, first + static_cast<std::ptrdiff_t>(repeat.length));
  }
  return block;
}

}  // namespace

bool is_constant(const ir::Op& op) {
  return !op.is_call() && op.def->role == ir::Role::constant && op.operand_count == 0 && op.result_count == 1;
}

std::optional<Block> best_block(const ir::Module& module, const BlockLimits& limits) {
  const OpSequence sequence         = op_sequence(module);
  const std::vector<Repeat> repeats = find_repeats(sequence.tokens, limits.ops, limits.calls);
  std::optional<Repeat> best;
  size_t effort = kEffort * sequence.tokens.size();
  for (const Candidate& candidate : ranked(repeats, sequence, limits.call)) {
    if (best && best->saving(limits.call) >= candidate.saving) break;
    const size_t visits = candidate.repeat->length * candidate.repeat->starts.size();
    if (visits > effort) break;
    effort -= visits;
    Repeat repeat = agreeing(*candidate.repeat, sequence);
    if (repeat.starts.size() < limits.calls || repeat.saving(limits.call) <= (best ? best->saving(limits.call) : 0))
      continue;
    best = std::move(repeat);
  }
  if (!best) return std::nullopt;
  return block_of(*best, sequence);
}

}  // namespace foreflow::transform
