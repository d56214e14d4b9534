#include "transform/replica/weight_units.h"

#include <algorithm>
#include <map>

#include "foreflow/ir/text.h"

namespace foreflow::transform {
namespace {

struct Repetition {
  size_t first = 0, length = 0, count = 0;
  size_t covered() const { return length * count; }
};

// The shortest of the tuples that cover most.
Repetition longest_repetition(const std::vector<size_t>& kinds) {
  Repetition best;
  for (size_t length = 1; 2 * length <= kinds.size(); ++length) {
    size_t run = 0;  // kinds in a row that equal the one `length` behind
    for (size_t i = 0; i + length <= kinds.size(); ++i) {
      if (i + length < kinds.size() && kinds[i] == kinds[i + length]) {
        ++run;
        continue;
      }
      const Repetition found{i - run, length, run < length ? 0 : run / length + 1};
      if (found.covered() > best.covered()) best = found;
      run = 0;
    }
  }
  return best;
}

}  // namespace

std::vector<size_t> units_of_kinds(const std::vector<size_t>& kinds) {
  const Repetition blocks = longest_repetition(kinds);
  std::vector<size_t> units(kinds.size(), 0);
  if (blocks.count == 0) return units;
  const size_t before = blocks.first > 0 ? 1 : 0;
  for (size_t i = blocks.first; i < kinds.size(); ++i)
    units[i] = before + std::min(blocks.count, (i - blocks.first) / blocks.length);
  return units;
}

std::vector<size_t> units_by_block(const ir::Function& entry, const interpret::Values<LaidOut>& values,
                                   const std::vector<TrainedWeight>& weights) {
  std::map<ir::ValueId, size_t> number;
  for (size_t i = 0; i < weights.size(); ++i) number[weights[i].weight] = i;
  std::map<ir::Device, std::vector<size_t>> by_device;
  std::vector<bool> seen(weights.size());
  for (const ir::Op& op : entry.ops) {
    if (!op.is_call() && op.def->role == ir::Role::optimizer) continue;
    for (const ir::ValueId id : entry.inputs(op)) {
      const auto found = number.find(id);
      if (found == number.end() || seen[found->second]) continue;
      seen[found->second] = true;
      by_device[ir::device_of(values[ir::index(id)].value.type)].push_back(found->second);
    }
  }
  std::vector<size_t> units(weights.size(), 0);
  std::map<std::string, size_t> kinds;
  size_t first = 1;  // unit 0: weights without a use
  for (const auto& [device, own] : by_device) {
    std::vector<size_t> sequence;
    for (const size_t weight : own) {
      const std::string kind = ir::to_string(values[ir::index(weights[weight].weight)].value.type);
      sequence.push_back(kinds.try_emplace(kind, kinds.size()).first->second);
    }
    const std::vector<size_t> of = units_of_kinds(sequence);
    for (size_t i = 0; i < own.size(); ++i) units[own[i]] = first + of[i];
    first += of.back() + 1;
  }
  return units;
}

}  // namespace foreflow::transform
