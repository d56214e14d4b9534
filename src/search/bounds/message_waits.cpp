#include "search/bounds/message_waits.h"

#include <algorithm>
#include <optional>

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

// The least time of the messages of each microbatch from one device of the plan to another.
class Hops {
 public:
  explicit Hops(const StagedStep& step) : step_(step) {}

  Seconds of(const std::vector<transform::StageNeed::Sent>& sent, size_t from, size_t to) const {
    Seconds longest;
    for (const auto& [bytes, beside] : sent) {
      const Seconds hidden = step_.strategy.overlap_sends ? beside : Seconds(0);
      longest              = std::max(longest, alone(bytes, from, to) - hidden);
    }
    return longest;
  }

 private:
  Seconds alone(Bytes bytes, size_t from, size_t to) const {
    const int group    = step_.group;
    const Bytes sent   = step_.strategy.scatter_gather ? bytes / step_.strategy.tp : bytes;
    const auto message = scenario::network_message(step_.scenario, collective::Kind::send, sent, {0, group});
    if (from == to || sent == Bytes(0) || !message) return Seconds(0);
    const int first = static_cast<int>(from) * group, second = static_cast<int>(to) * group;
    return step_.shapes.alone(step_.where, *message, ShiftedGroups{{first, second}, 1, group});
  }

  const StagedStep& step_;
};

}  // namespace

void add_hops(const StagedStep& step, std::vector<schedule::StageCosts>& costs) {
  if (step.strategy.pp == 1 || step.strategy.has_unequal_stages()) return;
  const Hops hops(step);
  // Two pipes have a stage on two devices each.
  std::vector<std::vector<size_t>> devices(costs.size());
  for (int chunk = 0; chunk < step.plan().size.chunks; ++chunk) {
    for (size_t device = 0; device < step.plan().order.size(); ++device)
      devices[step.stage_of(device, chunk)].push_back(device);
  }
  const auto least = [&](const std::vector<transform::StageNeed::Sent>& sent, size_t from, size_t to) {
    std::optional<Seconds> time;
    for (size_t i = 0; i < devices[from].size(); ++i) {
      const Seconds one = hops.of(sent, devices[from][i], devices[to][i]);
      time              = std::min(time.value_or(one), one);
    }
    return time.value_or(Seconds(0)).value();
  };
  for (size_t stage = 0; stage + 1 < costs.size(); ++stage) {
    costs[stage + 1].from_previous = least(step.demand.stages[stage].to_next, stage, stage + 1);
    costs[stage].from_next         = least(step.demand.stages[stage + 1].to_previous, stage + 1, stage);
  }
}

}  // namespace foreflow::search
