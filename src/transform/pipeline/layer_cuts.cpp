#include <algorithm>
#include <utility>

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

// The quietest place behind `begin` and not behind `end`, the last of equal ones; `end` where there is no place. A
// block may begin and end inside of layers, as one repeats as well from the middle of each layer to the middle of the
// next.
int32_t quietest(std::span<const CutPlace> places, int32_t begin, int32_t end) {
  const CutPlace* best = nullptr;
  for (auto place = place_behind(places, begin + 1); place != places.end() && place->op <= end; ++place) {
    const bool better =
        best == nullptr || std::pair(place->tensors, place->crossing) <= std::pair(best->tensors, best->crossing);
    if (better) best = &*place;
  }
  return best == nullptr ? end : best->op;
}

// Blocks of one kind have as many ops each. Where a recomputed layer may not be cut, the arithmetic between two places
// says little of a block that reaches over one of them.
LayerEnds large_blocks(const std::vector<Segment>& blocks, std::span<const CutPlace> places) {
  std::vector<double> flops;
  for (const Segment& block : blocks) {
    const double before = block.front() == 0 ? 0 : flops_upto(places, static_cast<int32_t>(block.front()) - 1);
    flops.push_back(flops_upto(places, static_cast<int32_t>(block.back())) - before);
  }
  LayerEnds found;
  if (blocks.empty()) return found;
  const auto largest = static_cast<size_t>(std::max_element(flops.begin(), flops.end()) - flops.begin());
  for (size_t i = 0; i < blocks.size(); ++i) {
    const Segment& block = blocks[i];
    if (flops[i] < kLeastLayer * flops[largest] && block.size() != blocks[largest].size()) continue;
    const auto before = static_cast<int32_t>(block.front()) - 1, back = static_cast<int32_t>(block.back());
    const int32_t end = quietest(places, before, back);
    if (found.ends.empty()) found.before = before - (back - end);
    found.ends.push_back(end);
  }
  return found;
}

// Where each layer repeats a block that is smaller than itself, as may be with many ranks and few layers: `layers` runs
// of as many blocks each, from the first op of one to the op before the next. Nothing if that is not how many there
// are.
std::vector<Segment> whole_layers(const std::vector<Segment>& blocks, size_t layers) {
  std::vector<Segment> merged;
  if (layers < 2 || blocks.size() <= layers || blocks.size() % layers != 0) return merged;
  const size_t each = blocks.size() / layers;
  for (size_t i = 0; i + each < blocks.size(); i += each)
    merged.push_back({blocks[i].front(), blocks[i + each].front() - 1});
  const size_t last = blocks[blocks.size() - each].front();
  merged.push_back({last, last + merged.back().back() - merged.back().front()});
  return merged;
}

RefusalError no_layers(const std::string& why) { return {Cause::stages, "pipeline: stages", why}; }

}  // namespace

LayerEnds layer_ends(const ir::Module& module, std::span<const CutPlace> places, int layers) {
  LayerEnds first;
  if (places.empty()) return first;
  for (const size_t smallest : kSmallestBlocks) {
    const std::vector<Segment> blocks = forward_blocks(module, smallest);
    LayerEnds found                   = large_blocks(blocks, places);
    const auto count                  = static_cast<int>(found.ends.size());
    if (count > 0 && (layers == 0 || count == layers)) return found;
    LayerEnds whole = large_blocks(whole_layers(blocks, static_cast<size_t>(layers)), places);
    if (static_cast<int>(whole.ends.size()) == layers && layers > 0) return whole;
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
