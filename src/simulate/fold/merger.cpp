#include "simulate/fold/merger.h"

#include <algorithm>

#include "foreflow/base/nth.h"

namespace foreflow::simulate {

int32_t Merger::merge(const std::vector<Part>& parts, int32_t example, Footprints& result) {
  const auto [found, is_new] = known_.emplace(parts, static_cast<int32_t>(result.distinct.size()));
  if (!is_new) return found->second;
  const Footprint& model = nth(footprints_.distinct, parts.front().footprint);
  result.distinct.push_back({static_cast<int32_t>(result.phases.size()), model.count, example, model.bytes});
  for (int32_t i = 0; i < model.count; ++i) {
    Phase phase = footprints_.phases[static_cast<size_t>(model.first) + static_cast<size_t>(i)];
    if (phase.load >= 0) {
      Load sum   = summed(parts, static_cast<size_t>(i));
      sum.unit   = nth(footprints_.loads, phase.load).unit;
      sum.limit  = nth(footprints_.loads, phase.load).limit;
      sum.limits = nth(footprints_.loads, phase.load).limits;
      for (const auto& [link, weight] : sum.crossings) {
        const platform::Link& crossed = platform_.links().like(static_cast<size_t>(link));
        if (!crossed.fat) phase.alone = std::max(phase.alone, weight * model.bytes / crossed.payload());
      }
      phase.load = static_cast<int32_t>(result.loads.size());
      result.loads.push_back(std::move(sum));
    }
    if (phase.relay >= 0) phase.relay = merge_relays(parts, static_cast<size_t>(i), result);
    result.phases.push_back(phase);
  }
  return found->second;
}

// Hops of one number move together in all relays.
int32_t Merger::merge_relays(const std::vector<Part>& parts, size_t number, Footprints& result) const {
  const auto relay_of = [&](const Part& part) -> const RelayPlan& {
    return nth(footprints_.relays, footprints_.phases_of(nth(footprints_.distinct, part.footprint))[number].relay);
  };
  RelayPlan merged = relay_of(parts.front());
  for (size_t hop = 0; hop < merged.loads.size(); ++hop) {
    const Load& model = nth(footprints_.loads, merged.loads[hop]);
    Load sum{{}, model.unit, model.limit, model.limits};
    std::map<int32_t, double> weights;
    for (const Part& part : parts) add(nth(footprints_.loads, relay_of(part).loads[hop]), part.own_image, weights);
    for (const auto& [link, weight] : weights) sum.crossings.push_back({link, weight});
    merged.loads[hop] = static_cast<int32_t>(result.loads.size());
    result.loads.push_back(std::move(sum));
  }
  result.relays.push_back(std::move(merged));
  return static_cast<int32_t>(result.relays.size() - 1);
}

Load Merger::kept(const Load& load) const {
  Load result{{}, load.unit, load.limit, load.limits};
  for (const auto& crossing : load.crossings) {
    if (first_like(crossing.link) == crossing.link) result.crossings.push_back(crossing);
  }
  return result;
}

int32_t Merger::counted(int32_t link, bool own_image) const {
  if (own_image && !rotation_.is_first(link)) return -1;
  const int orbit = rotation_.orbit(link);
  return links_.is_first(static_cast<size_t>(orbit)) ? rotation_.first_link(orbit) : -1;
}

void Merger::add(const Load& load, bool own_image, std::map<int32_t, double>& weights) const {
  for (const auto& [link, weight] : load.crossings) {
    if (const int32_t onto = counted(link, own_image); onto >= 0) weights[onto] += weight;
  }
}

Load Merger::summed(const std::vector<Part>& parts, size_t number) const {
  std::map<int32_t, double> weights;
  for (const Part& part : parts) {
    const Phase& phase = footprints_.phases_of(nth(footprints_.distinct, part.footprint))[number];
    add(nth(footprints_.loads, phase.load), part.own_image, weights);
  }
  Load result{{}, 0};
  for (const auto& [link, weight] : weights) result.crossings.push_back({link, weight});
  return result;
}

}  // namespace foreflow::simulate
