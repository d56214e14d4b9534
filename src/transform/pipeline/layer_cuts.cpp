#include <algorithm>

#include "foreflow/base/refusal.h"
#include "transform/blocks/forward_blocks.h"
#include "transform/pipeline/cuts.h"

namespace foreflow::transform {
namespace {

// Of the arithmetic of the largest block: a block with less is no layer.
constexpr double kLeastLayer = 0.1;

// The first place that is not before the op; the end where there is none.
std::span<const CutPlace>::iterator place_behind(std::span<const CutPlace> places, int32_t op) {
  return std::lower_bound(places.begin(), places.end(), op,
                          [](const CutPlace& place, int32_t other) { return place.op < other; });
}

double flops_upto(std::span<const CutPlace> places, int32_t op) {
  const auto place = place_behind(places, op);
  return place == places.end() ? places.back().flops : place->flops;
}

LayerEnds large_blocks(const std::vector<Segment>& blocks, std::span<const CutPlace> places) {
  std::vector<double> flops;
  for (const Segment& block : blocks) {
    const double before = block.front() == 0 ? 0 : flops_upto(places, static_cast<int32_t>(block.front()) - 1);
    flops.push_back(flops_upto(places, static_cast<int32_t>(block.back())) - before);
  }
  LayerEnds found;
  const double most = flops.empty() ? 0 : *std::max_element(flops.begin(), flops.end());
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (flops[i] < kLeastLayer * most) continue;
    if (found.ends.empty()) found.before = static_cast<int32_t>(blocks[i].front()) - 1;
    found.ends.push_back(static_cast<int32_t>(blocks[i].back()));
  }
  return found;
}

RefusalError no_layers(const std::string& why) { return {Cause::stages, "pipeline: stages", why}; }

}  // namespace

LayerEnds layer_ends(const ir::Module& module, std::span<const CutPlace> places, int layers) {
  LayerEnds first;
  if (places.empty()) return first;
  for (const size_t smallest : kSmallestBlocks) {
    LayerEnds found  = large_blocks(forward_blocks(module, smallest), places);
    const auto count = static_cast<int>(found.ends.size());
    if (count > 0 && (layers == 0 || count == layers)) return found;
    if (first.ends.empty()) first = std::move(found);
  }
  return first;
}

Cuts layer_cuts(std::span<const CutPlace> places, const LayerEnds& layers, const Pipeline& wanted) {
  const int count = static_cast<int>(layers.ends.size());
  if (count == 0 || (wanted.layers.layers > 0 && count != wanted.layers.layers)) {
    throw no_layers("the forward pass repeats " + std::to_string(count) + " equal blocks" +
                    (wanted.layers.layers > 0
                         ? ", and the model has " + std::to_string(wanted.layers.layers) + " layers"
                         : std::string()) +
                    ", so where layers end is not known; use stage_partition balanced");
  }
  const std::vector<int> shares = layers_of_stages(count, wanted.schedule->mapping, wanted.size, wanted.layers).value();
  Cuts cuts;
  int upto = 0;
  for (size_t stage = 0; stage + 1 < shares.size(); ++stage) {
    upto += shares[stage];
    const CutPlace* place = nullptr;
    if (upto > 0) {
      const auto behind = place_behind(places, layers.ends[static_cast<size_t>(upto) - 1]);
      // A recomputed segment of several layers may reach over it.
      const bool next = upto < count && behind != places.end() && behind->op >= layers.ends[static_cast<size_t>(upto)];
      if (behind != places.end() && !next) place = &*behind;
    } else {
      const auto behind = place_behind(places, layers.before + 1);
      if (behind != places.begin()) place = &*std::prev(behind);
    }
    if (place == nullptr || place->op == places.back().op || (!cuts.empty() && place->op <= cuts.back())) {
      throw no_layers(std::string("there is no place to cut ") +
                      (upto > 0 ? "after layer " + std::to_string(upto) : std::string("before the first layer")) +
                      "; use stage_partition balanced");
    }
    cuts.push_back(place->op);
  }
  return cuts;
}

}  // namespace foreflow::transform
