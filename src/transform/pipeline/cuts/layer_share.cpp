#include "foreflow/transform/layer_share.h"

#include <fmt/core.h>

#include <algorithm>

#include "foreflow/base/nth.h"

namespace foreflow::transform {
namespace {

Refusal no_share(const std::string& why) { return {Cause::stages, "pipeline: stages", why}; }

// Returns advice that would make the stages equal: other things that could count as layers. Returns "" if nothing
// would.
std::string remedies(int layers, int stages, bool may_state_ends) {
  struct Count {
    int more;
    const char* name;
  };
  std::string text;
  for (const auto& [more, name] : {Count{0, "none"}, Count{1, "embedding"}, Count{1, "head"}, Count{2, "both"}}) {
    if ((layers + more) % stages == 0)
      text += fmt::format("{}count_as_layers {}", text.empty() ? "; use " : " or ", name);
  }
  if (may_state_ends)
    text += fmt::format("{}first_stage_layers and last_stage_layers", text.empty() ? "; state " : ", or state ");
  return text.empty() ? "; use another number of stages, or stage_partition balanced" : text;
}

Expected<std::vector<int>> with_counted(int layers, int stages, bool may_state_ends, const LayerShare& share) {
  const int units = layers + static_cast<int>(share.embedding) + static_cast<int>(share.head);
  if (units % stages != 0) {
    const std::string counted = share.embedding && share.head ? " and the embedding and the head"
                                : share.embedding             ? " and the embedding"
                                : share.head                  ? " and the head"
                                                              : "";
    return no_share(fmt::format("{} layers{} do not divide into {} equal stages{}", layers, counted, stages,
                                remedies(layers, stages, may_state_ends)));
  }
  std::vector<int> all(static_cast<size_t>(stages), units / stages);
  all.front() -= static_cast<int>(share.embedding);
  all.back() -= static_cast<int>(share.head);
  return all;
}

Expected<std::vector<int>> with_ends(int layers, const schedule::Size& size, const LayerShare& share) {
  const int others = size.devices - static_cast<int>(share.first > 0) - static_cast<int>(share.last > 0);
  const int rest   = layers - share.first - share.last;
  if (rest < 0)
    return no_share(
        fmt::format("{} layers of the first and the last stage are more than all {}; lower "
                    "first_stage_layers or last_stage_layers",
                    share.first + share.last, layers));
  for (const int stated : {share.first, share.last}) {
    if (stated % size.chunks != 0)
      return no_share(fmt::format("{} layers of a device do not divide into its {} stages", stated, size.chunks));
  }
  const bool fits = others > 0 ? rest > 0 && rest % (others * size.chunks) == 0 : rest == 0;
  if (others < 0 || !fits) {
    return no_share(
        fmt::format("{} of {} layers are left, which do not divide over {} devices with {} stages each; change "
                    "first_stage_layers or last_stage_layers",
                    rest, layers, std::max(others, 0), size.chunks));
  }
  std::vector<int> all(static_cast<size_t>(size.devices * size.chunks));
  for (int stage = 0; stage < size.devices * size.chunks; ++stage) {
    const int device = stage % size.devices;
    const int stated = device == 0 ? share.first : device + 1 == size.devices ? share.last : 0;
    const int own    = stated > 0 ? stated : rest / others;
    nth(all, stage)  = own / size.chunks;
  }
  return all;
}

}  // namespace

Expected<std::vector<int>> layers_of_stages(int layers, schedule::StageMapping mapping, const schedule::Size& size,
                                            const LayerShare& share) {
  const bool looped = mapping == schedule::StageMapping::looped;
  if (share.first == 0 && share.last == 0)
    return with_counted(layers, schedule::stages(mapping, size), looped && size.devices > 1, share);
  if (share.counts())
    return no_share(
        "first_stage_layers and last_stage_layers cannot be combined with count_as_layers; leave one of them out");
  if (!looped)
    return no_share(
        "first_stage_layers and last_stage_layers need a schedule whose stages go round all devices, and "
        "here the first and the last stage share a device; leave them out, or use 1f1b or interleaved_1f1b");
  return with_ends(layers, size, share);
}

}  // namespace foreflow::transform
