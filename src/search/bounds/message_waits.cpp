#include "search/bounds/message_waits.h"

#include <algorithm>

#include "search/bounds/bounds.h"

namespace foreflow::search {
namespace {

class MessageWaits {
 public:
  explicit MessageWaits(const StagedStep& step) : step_(step), strategy_(step.strategy) {}

  // How long a device waits for the message, plus the time by which chunks take longer than the whole product.
  Seconds waiting(const scenario::StageMessage& message) const {
    const Seconds whole = alone(message, 1);
    const int chunks    = strategy_.tensor_chunks;
    const auto kind     = message.network ? message.network->kind : collective::Kind::all_reduce;
    if (kind == collective::Kind::all_gather && overlaps_products(kind, message.network->ranks.size(), strategy_))
      return message.may_run_beside ? gathering(message, whole) : whole;
    const bool sums =
        !message.network || overlaps_products(message.network->kind, message.network->ranks.size(), strategy_);
    // The bound of a branch is that of its largest number of chunks.
    if (!sums || !message.may_be_cut_by_fewer(chunks)) return whole;
    if (!message.product) return Seconds(0);
    const bool in_chunks = message.is_exact && (!message.may_run_beside || message.is_cut_into_chunks());
    if (!in_chunks) return std::max(Seconds(0), whole - *message.product);
    Seconds least = whole;
    for (int fewer = 2; fewer <= chunks; ++fewer) {
      if (message.may_be_cut(fewer)) least = std::min(least, chunk_by_chunk(message, fewer));
    }
    return least;
  }

 private:
  Seconds alone(const scenario::StageMessage& message, int parts) const {
    if (!message.network) return parts == 1 ? message.formula.value_or(Seconds(0)) : Seconds(0);
    // The time of a part follows from measurements of the whole as little as from a formula.
    if (parts > 1 && !message.network->measured.empty()) return Seconds(0);
    scenario::Message part = *message.network;
    part.bytes             = part.bytes / parts;
    return step_.shapes.alone(step_.where, part, step_.group);
  }

  // Chunks are computed one after the other, and they travel one after the other. So the last one travels after all are
  // computed, and none of them travels before the first is computed.
  Seconds chunk_by_chunk(const scenario::StageMessage& message, int chunks) const {
    const auto number            = static_cast<size_t>(chunks - 2);
    const Seconds one            = number < message.chunks.size() ? message.chunks[number] : *message.product / chunks;
    const Seconds message_of_one = alone(message, chunks);
    const Seconds all            = message.network ? chunks * message_of_one : alone(message, 1);
    return std::max(chunks * one + message_of_one, one + all) - *message.product;
  }

  // How long products wait for the rows that are gathered beside them, plus the time by which the parts of a product
  // take longer than the whole. Parts of the rows travel round a ring: the last ones arrive after all steps, and the
  // gradients of weights are computed behind them.
  //
  //   messages   step 1 ....|step 2 ....|
  //   computes   part 1 |    part 2 |    part 3 |gradients of weights |
  Seconds gathering(const scenario::StageMessage& message, Seconds whole) const {
    if (!message.product) return Seconds(0);
    if (!message.gathered) return std::max(Seconds(0), std::min(whole, ring(message)) - *message.product);
    const auto& [ways, readers, rows, late] = *message.gathered;
    const Seconds arrived                   = (ways > 1 ? ring(message) : whole) + (ways > 1 ? rows : Seconds(0));
    return std::min(whole, std::max(ways * rows + late - readers, arrived + late - *message.product));
  }

  // The time of all steps of the ring; 0 where it is not known.
  Seconds ring(const scenario::StageMessage& message) const {
    const std::vector<int>& ranks = message.network->ranks;
    const auto one                = scenario::network_message(step_.scenario, collective::Kind::shift,
                                                              message.network->bytes / static_cast<double>(ranks.size()), ranks);
    return one ? static_cast<double>(ranks.size() - 1) * step_.shapes.alone(step_.where, *one, step_.group)
               : Seconds(0);
  }

  const StagedStep& step_;
  const scenario::Strategy& strategy_;
};

}  // namespace

std::vector<Seconds> message_waits(const StagedStep& step) {
  const MessageWaits waits(step);
  std::vector<Seconds> all;
  for (const scenario::StageMessage& message : step.demand.messages) all.push_back(waits.waiting(message));
  return all;
}

namespace {

// A message with a stream of its own may leave before its task ends, and the task that reads it may begin before it
// arrives.
Seconds beside_sends(const StagedStep& step) {
  const std::vector<transform::StageNeed>& stages = step.demand.stages;
  Seconds most;
  for (size_t stage = 0; step.strategy.overlap_sends && stage + 1 < stages.size(); ++stage)
    most = std::max({most, stages[stage].beside_next, stages[stage + 1].beside_previous});
  return most;
}

}  // namespace

Seconds least_hop(const StagedStep& step) {
  const scenario::Strategy& strategy              = step.strategy;
  const std::vector<transform::StageNeed>& stages = step.demand.stages;
  if (strategy.pp == 1 || strategy.has_unequal_stages()) return Seconds(0);
  Bytes least = stages.front().to_next;
  for (size_t stage = 0; stage + 1 < stages.size(); ++stage)
    least = std::min({least, stages[stage].to_next, stages[stage + 1].to_previous});
  if (strategy.scatter_gather) least = least / strategy.tp;
  const int group    = step.group;
  const int last     = (strategy.pp - 1) * group;
  const auto message = scenario::network_message(step.scenario, collective::Kind::send, least, {0, group});
  if (least == Bytes(0) || !message) return Seconds(0);
  const auto alone = [&](const ShiftedGroups& groups) {
    return std::max(Seconds(0), step.shapes.alone(step.where, *message, groups) - beside_sends(step));
  };
  const Seconds time = std::min(alone({{0, group}, 1, last}), alone({{group, 0}, 1, last}));
  const bool around  = step.plan().size.chunks > 1 && step.plan().mapping == schedule::StageMapping::looped;
  return around ? std::min({time, alone({{0, last}, 1, group}), alone({{last, 0}, 1, group})}) : time;
}

}  // namespace foreflow::search
