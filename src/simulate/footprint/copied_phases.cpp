#include "simulate/footprint/copied_phases.h"

#include <algorithm>
#include <span>
#include <utility>

#include "foreflow/base/nth.h"

namespace foreflow::simulate {

const CopiedPhases::Original* CopiedPhases::find(size_t group, const stream::Communication& communication) const {
  const auto pattern = static_cast<size_t>(groups_.pattern_of(group));  // -1 is past all
  if (pattern >= originals_.size() || may_use_relays(communication)) return nullptr;
  const std::vector<Original>& all = originals_[pattern];
  const auto found                 = std::find_if(all.begin(), all.end(), [&](const Original& original) {
    return original.kind == communication.kind && original.asked == communication.algorithm &&
           original.bytes == communication.bytes && original.start == communication.start;
  });
  return found == all.end() ? nullptr : &*found;
}

void CopiedPhases::keep(size_t group, const stream::Communication& communication, size_t first,
                        const collective::AlgorithmDef* algorithm) {
  if (groups_.pattern_of(group) < 0 || may_use_relays(communication)) return;
  if (originals_.size() < groups_.patterns()) originals_.resize(groups_.patterns());
  nth(originals_, groups_.pattern_of(group))
      .push_back({communication.kind, communication.algorithm, communication.bytes, communication.start, group, first,
                  phases_.size(), algorithm});
}

const collective::AlgorithmDef* CopiedPhases::add(size_t group, const stream::Communication& communication) {
  const Original* original = find(group, communication);
  if (original == nullptr) return nullptr;
  for (size_t i = original->first; i < original->last; ++i) {
    Phase phase = phases_[i];
    if (phase.load >= 0) phase.load = copy_load(phase.load, original->group, group);
    phases_.push_back(std::move(phase));
  }
  return original->algorithm;
}

// The load `number` of one group on the links of another. Communications of a group share loads.
int32_t CopiedPhases::copy_load(int32_t number, size_t from, size_t to) {
  if (to >= newest_.size()) newest_.resize(to + 1, -1);
  int32_t& newest = newest_[to];
  for (int32_t i = newest; i >= 0; i = nth(copies_, i).next) {
    const Copy& copy = nth(copies_, i);
    if (copy.load == number && copy.from == from) return copy.copy;
  }
  const std::span<const int> here = groups_.links_of(from), there = groups_.links_of(to);
  std::vector<std::pair<int, int>> links;
  for (size_t i = 0; i < here.size(); ++i) links.emplace_back(here[i], there[i]);
  std::sort(links.begin(), links.end());
  Load load = loads_[number];
  for (stream::Crossing& crossing : load.crossings)
    crossing.link = std::lower_bound(links.begin(), links.end(), std::pair(crossing.link, 0))->second;
  std::sort(load.crossings.begin(), load.crossings.end(),
            [](const stream::Crossing& a, const stream::Crossing& b) { return a.link < b.link; });
  copies_.push_back({number, static_cast<uint32_t>(from), loads_.number_of(std::move(load)), newest});
  newest = static_cast<int32_t>(copies_.size() - 1);
  return copies_.back().copy;
}

}  // namespace foreflow::simulate
