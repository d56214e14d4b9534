#include "simulate/rounds/components.h"

#include <unordered_map>

#include "foreflow/base/disjoint_sets.h"
#include "foreflow/base/nth.h"

namespace foreflow::simulate {
namespace {

class Joiner {
 public:
  explicit Joiner(const FoldedProgram& folded) : folded_(folded), devices_(folded.program.devices.size()) {}

  // The device takes part in a communication of this instance's kind.
  void add(int device, int32_t instance) {
    const int32_t kind        = nth(folded_.kind_of_instance, instance);
    const auto [first, fresh] = of_kind_.try_emplace(kind, device);
    devices_.join(first->second, device);
    const int32_t footprint = nth(folded_.together.of_instance, instance);
    if (fresh && footprint >= 0) add_links(device, nth(folded_.together.distinct, footprint));
  }

  int32_t component(int device) { return devices_.find(device); }

 private:
  void add_links(int device, const Footprint& footprint) {
    for (const Phase& phase : folded_.together.phases_of(footprint)) {
      if (phase.load >= 0) add_load(device, phase.load);
      if (phase.relay < 0) continue;
      for (const int32_t load : nth(folded_.together.relays, phase.relay).loads) add_load(device, load);
    }
  }
  void add_load(int device, int32_t load) {
    for (const stream::Crossing& crossing : nth(folded_.together.loads, load).crossings)
      devices_.join(of_link_.try_emplace(crossing.link, device).first->second, device);
  }

  const FoldedProgram& folded_;
  DisjointSets devices_;
  std::unordered_map<int32_t, int> of_kind_, of_link_;  // the first device of each
};

}  // namespace

std::vector<std::vector<size_t>> components(const FoldedProgram& folded, const Stretches& loop) {
  const std::vector<stream::Stream>& streams = folded.program.streams;
  Joiner joiner(folded);
  for (size_t s = 0; s < streams.size(); ++s) {
    for (size_t i = 0; loop[s].count > 0 && i < loop[s].first + loop[s].count; ++i) {
      const int32_t instance = streams[s].items[i].instance;
      if (instance >= 0) joiner.add(streams[s].device, instance);
    }
  }
  std::vector<std::vector<size_t>> found;
  std::unordered_map<int32_t, size_t> number;
  for (size_t s = 0; s < streams.size(); ++s) {
    const size_t component = number.try_emplace(joiner.component(streams[s].device), found.size()).first->second;
    if (component == found.size()) found.emplace_back();
    found[component].push_back(s);
  }
  return found;
}

}  // namespace foreflow::simulate
