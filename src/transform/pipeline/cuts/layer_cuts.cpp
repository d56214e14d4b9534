#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "foreflow/base/nth.h"
#include "foreflow/base/refusal.h"
#include "transform/blocks/forward_blocks.h"
#include "transform/pipeline/cuts/cuts.h"

namespace foreflow::transform {
namespace {

// As a fraction of the arithmetic of the largest block: a block with less is no layer.
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

// The quietest places behind `begin` and not behind `end`; none where there is no place. A block may begin and end
// inside of layers, as one repeats as well from the middle of each layer to the middle of the next.
std::vector<const CutPlace*> quietest_places(std::span<const CutPlace> places, int32_t begin, int32_t end) {
  const auto noise = [](const CutPlace& place) { return std::pair(place.tensors, place.crossing); };
  std::vector<const CutPlace*> best;
  for (auto place = place_behind(places, begin + 1); place != places.end() && place->op <= end; ++place) {
    if (!best.empty() && noise(*place) < noise(*best[0])) best.clear();
    if (best.empty() || noise(*place) == noise(*best[0])) best.push_back(&*place);
  }
  return best;
}

int32_t quietest(std::span<const CutPlace> places, int32_t begin, int32_t end) {
  const auto best = quietest_places(places, begin, end);
  return best.empty() ? end : best.back()->op;
}

// Which of the equally quiet places of each block ends a layer: what comes before it is whole layers, the first of
// which starts behind the first `before` flop. As quiet as behind a layer it is between its attention and its MLP.
size_t end_of_layer(const std::vector<const CutPlace*>& first, const std::vector<const CutPlace*>& second,
                    double before) {
  size_t best    = first.size() - 1;
  double nearest = 1;
  for (size_t i = first.size(); i-- > 0;) {
    const double layers = (first[i]->flops - before) / (second[i]->flops - first[i]->flops);
    const double off    = std::abs(layers - std::max(1.0, std::round(layers)));
    if (!(off < nearest)) continue;  // nor where blocks have no flop
    nearest = off;
    best    = i;
  }
  return best;
}

double flops_of(const Segment& block, std::span<const CutPlace> places) {
  const double before = block.front() == 0 ? 0 : flops_upto(places, static_cast<int32_t>(block.front()) - 1);
  return flops_upto(places, static_cast<int32_t>(block.back())) - before;
}

// Blocks of one kind have as many ops each. Where a recomputed layer may not be cut, the arithmetic between two places
// says little of a block that reaches over one of them.
std::vector<Segment> without_small(const std::vector<Segment>& blocks, std::span<const CutPlace> places) {
  if (blocks.empty()) return {};
  std::vector<double> flops;
  flops.reserve(blocks.size());
  for (const Segment& block : blocks) flops.push_back(flops_of(block, places));
  const auto largest = static_cast<size_t>(std::max_element(flops.begin(), flops.end()) - flops.begin());
  std::vector<Segment> large;
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (flops[i] >= kLeastLayer * flops[largest] || blocks[i].size() == blocks[largest].size())
      large.push_back(blocks[i]);
  }
  return large;
}

// The ends of large blocks. The first layer starts behind the first `before` flop.
LayerEnds large_blocks(const std::vector<Segment>& blocks, std::span<const CutPlace> places, double before = 0) {
  LayerEnds found;
  const std::vector<Segment> layers = without_small(blocks, places);
  if (layers.empty()) return found;
  std::vector<std::vector<const CutPlace*>> quiet;  // per layer
  for (const Segment& layer : layers)
    quiet.push_back(
        quietest_places(places, static_cast<int32_t>(layer.front()) - 1, static_cast<int32_t>(layer.back())));
  const size_t number = quiet[0].size();
  const bool alike    = number > 1 && quiet.size() > 1 && quiet[1].size() == number;
  const size_t chosen = alike ? end_of_layer(quiet[0], quiet[1], before) : number - 1;
  for (size_t i = 0; i < layers.size(); ++i) {
    const auto back = static_cast<int32_t>(layers[i].back());
    const int32_t end =
        quiet[i].empty() ? back : quiet[i][quiet[i].size() == number ? chosen : quiet[i].size() - 1]->op;
    if (i == 0) found.before = static_cast<int32_t>(layers[i].front()) - 1 - (back - end);
    found.ends.push_back(end);
  }
  return found;
}

// The blocks of the kind that does the most arithmetic. Around the layers, parts of one may repeat on a few ranks, with
// a large head among them.
std::vector<Segment> of_main_kind(const std::vector<Segment>& blocks, std::span<const CutPlace> places) {
  std::map<size_t, double> flops;  // by the number of ops
  for (const Segment& block : blocks) flops[block.size()] += flops_of(block, places);
  const auto main = std::max_element(flops.begin(), flops.end(),
                                     [](const auto& one, const auto& other) { return one.second < other.second; });
  std::vector<Segment> kept;
  std::copy_if(blocks.begin(), blocks.end(), std::back_inserter(kept),
               [&](const Segment& block) { return block.size() == main->first; });
  return kept;
}

// Joins blocks that are smaller than a layer, which each layer repeats, as may be with many ranks and few layers.
// Returns `layers` runs of as many blocks each, from the first op of one run to the op before the next. Returns nothing
// if the number of blocks is no multiple of `layers`, or no larger, or if the runs are not of blocks of the same sizes.
std::vector<Segment> whole_layers(const std::vector<Segment>& blocks, size_t layers) {
  std::vector<Segment> merged;
  if (layers < 2 || blocks.size() <= layers || blocks.size() % layers != 0) return merged;
  const size_t each = blocks.size() / layers;
  for (size_t i = each; i < blocks.size(); ++i) {
    if (blocks[i].size() != blocks[i - each].size()) return merged;
  }
  for (size_t i = 0; i + each < blocks.size(); i += each)
    merged.push_back({blocks[i].front(), blocks[i + each].front() - 1});
  const size_t last = blocks[blocks.size() - each].front();
  merged.push_back({last, last + merged.back().back() - merged.back().front()});
  return merged;
}

// Adds the end of a layer that repeats no other from end to end. The first layer may be such a one, if it also computes
// what all share. Its end is one layer before the others or behind them. `before` as in large_blocks.
LayerEnds completed(LayerEnds found, std::span<const CutPlace> places, double before = 0) {
  std::vector<int32_t>& ends = found.ends;
  if (ends.size() < 2) return {};
  const int32_t layer = ends[1] - ends[0], around = layer / 8;
  const double flops = flops_upto(places, ends[1]) - flops_upto(places, ends[0]);
  const auto end_at  = [&](int32_t op) { return quietest(places, op - around, op + around); };
  if (flops_upto(places, ends[0]) - before > 1.5 * flops) {
    ends.insert(ends.begin(), end_at(ends[0] - layer));
    found.before = ends[0] - layer;
  } else {
    ends.push_back(end_at(ends.back() + layer));
  }
  return found;
}

// The ends of so many layers, if the blocks are layers, or parts of layers, or all layers but one.
std::optional<LayerEnds> ends_of(int layers, const std::vector<Segment>& blocks, const LayerEnds& found,
                                 std::span<const CutPlace> places) {
  const auto count = static_cast<int>(found.ends.size());
  if (count > 0 && count == layers) return found;
  LayerEnds whole = large_blocks(whole_layers(blocks, static_cast<size_t>(layers)), places);
  if (static_cast<int>(whole.ends.size()) == layers && layers > 0) return whole;
  if (count + 1 == layers) return completed(found, places);
  return std::nullopt;
}

// Cuts a row of blocks into those runs that repeat one block, or several in turn, at least twice; each run as blocks of
// one period. Layers of an encoder and of a decoder are two such runs, of which parts may be equal.
std::vector<std::vector<Segment>> stacks_of(const std::vector<Segment>& blocks) {
  constexpr size_t kMostParts = 4;
  std::vector<std::vector<Segment>> stacks;
  for (size_t i = 0; i < blocks.size();) {
    size_t period = 0, covered = 0;
    for (size_t parts = 1; parts <= kMostParts; ++parts) {
      size_t equal = 0;
      while (i + equal + parts < blocks.size() && blocks[i + equal].size() == blocks[i + equal + parts].size()) ++equal;
      const size_t whole = equal / parts * parts + parts;
      if (equal < parts || whole <= covered) continue;
      period  = parts;
      covered = whole;
    }
    if (period == 0) {
      ++i;
      continue;
    }
    const auto first = blocks.begin() + static_cast<std::ptrdiff_t>(i);
    const std::vector<Segment> run(first, first + static_cast<std::ptrdiff_t>(covered));
    stacks.push_back(period == 1 ? run : whole_layers(run, covered / period));
    i += covered;
  }
  return stacks;
}

// Layers of one stack end at the same op of each. Behind the last reader of what all share it is quieter than there.
void align(LayerEnds& found, const std::vector<Segment>& stack, std::span<const CutPlace> places) {
  if (found.ends.size() != stack.size()) return;
  const int32_t offset = found.ends[0] - static_cast<int32_t>(stack[0].front());
  for (size_t i = 1; i < stack.size(); ++i) {
    const int32_t end = static_cast<int32_t>(stack[i].front()) + offset;
    const auto place  = place_behind(places, end);
    if (place != places.end() && place->op == end) found.ends[i] = end;
  }
}

// The ends of so many layers in several stacks, if the blocks of all are layers, or all layers but one of each.
std::optional<LayerEnds> ends_of_stacks(int layers, const std::vector<Segment>& blocks,
                                        std::span<const CutPlace> places) {
  const auto stacks = stacks_of(without_small(blocks, places));
  if (stacks.size() < 2) return std::nullopt;
  for (const bool complete : {false, true}) {
    LayerEnds all;
    double before = 0;
    for (const std::vector<Segment>& stack : stacks) {
      LayerEnds found = large_blocks(stack, places, before);
      align(found, stack, places);
      if (complete) found = completed(std::move(found), places, before);
      if (found.ends.empty()) return std::nullopt;
      if (all.ends.empty()) all.before = found.before;
      all.ends.insert(all.ends.end(), found.ends.begin(), found.ends.end());
      before = flops_upto(places, all.ends.back());
    }
    if (static_cast<int>(all.ends.size()) == layers) return all;
  }
  return std::nullopt;
}

RefusalError no_layers(const std::string& why) { return {Cause::stages, "pipeline: stages", why}; }

}  // namespace

LayerEnds layer_ends(const ir::Module& module, std::span<const CutPlace> places, int layers) {
  LayerEnds first;
  if (places.empty()) return first;
  for (const size_t smallest : kSmallestBlocks) {
    const std::vector<Segment> blocks = forward_blocks(module, smallest);
    LayerEnds found                   = large_blocks(blocks, places);
    if (!found.ends.empty() && layers == 0) return found;
    if (auto ends = ends_of(layers, blocks, found, places)) return *std::move(ends);
    const std::vector<Segment> main = of_main_kind(blocks, places);
    if (auto ends = ends_of(layers, main, large_blocks(main, places), places)) return *std::move(ends);
    if (auto ends = ends_of_stacks(layers, blocks, places)) return *std::move(ends);
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
      const bool next = upto < count && behind != places.end() && behind->op >= nth(layers.ends, upto);
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
