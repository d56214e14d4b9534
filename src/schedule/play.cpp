#include <algorithm>
#include <optional>

#include "foreflow/schedule/schedule.h"

namespace foreflow::schedule {
namespace {

// When each forward and backward of one stage ended, by microbatch; empty until it has.
struct Ends {
  std::vector<std::optional<double>> forward, backward;
};

// Plays every stage as far as its inputs allow, again and again until nothing moves: each task is visited once, and a
// stage is visited again only after a neighbour has moved.
class Player {
 public:
  Player(const Order& order, const Costs& costs) : order_(order), costs_(costs), slots_(order.size()) {
    int microbatches = 0;
    for (const auto& tasks : order) {
      for (const Task& task : tasks) {
        FOREFLOW_CHECK(task.microbatch >= 0, "microbatches count from 0");
        microbatches = std::max(microbatches, task.microbatch + 1);
      }
    }
    const std::vector<std::optional<double>> never(static_cast<size_t>(microbatches));
    ends_.assign(order.size(), {never, never});
  }

  std::vector<std::vector<Slot>> run() && {
    std::vector<size_t> waiting;
    for (size_t stage = order_.size(); stage-- > 0;) waiting.push_back(stage);
    while (!waiting.empty()) {
      const size_t stage = waiting.back();
      waiting.pop_back();
      if (!advance(stage)) continue;
      if (stage > 0) waiting.push_back(stage - 1);
      if (stage + 1 < order_.size()) waiting.push_back(stage + 1);
    }
    for (size_t stage = 0; stage < order_.size(); ++stage) {
      FOREFLOW_CHECK(slots_[stage].size() == order_[stage].size(),
                     "stage " + std::to_string(stage) + " never gets to " + label(order_[stage][slots_[stage].size()]));
    }
    return std::move(slots_);
  }

 private:
  // Whether at least one task of the stage could run.
  bool advance(size_t stage) {
    const size_t before = slots_[stage].size();
    while (slots_[stage].size() < order_[stage].size()) {
      const Task task  = order_[stage][slots_[stage].size()];
      const auto ready = inputs_ready(stage, task);
      if (!ready) break;
      const double free  = slots_[stage].empty() ? 0 : slots_[stage].back().end;
      const double start = std::max(free, *ready);
      const double end   = start + (task.phase == Phase::forward ? costs_.forward : costs_.backward);
      slots_[stage].push_back({task, start, end});
      end_of(stage, task) = end;
    }
    return slots_[stage].size() > before;
  }

  // When the inputs of the task are on its stage; empty while one of them is not even computed.
  std::optional<double> inputs_ready(size_t stage, const Task& task) {
    if (task.phase == Phase::forward) return stage == 0 ? 0 : arrival(stage - 1, task);
    const auto activation = end_of(stage, {Phase::forward, task.microbatch});
    if (!activation || stage + 1 == order_.size()) return activation;
    const auto gradient = arrival(stage + 1, task);
    if (!gradient) return gradient;
    return std::max(*activation, *gradient);
  }

  // When the output of a neighbour's task arrives.
  std::optional<double> arrival(size_t from, const Task& task) {
    const auto end = end_of(from, task);
    return end ? std::optional(*end + costs_.hop) : end;
  }

  std::optional<double>& end_of(size_t stage, const Task& task) {
    auto& ends = task.phase == Phase::forward ? ends_[stage].forward : ends_[stage].backward;
    return ends[static_cast<size_t>(task.microbatch)];
  }

  const Order& order_;
  const Costs& costs_;
  std::vector<Ends> ends_;
  std::vector<std::vector<Slot>> slots_;
};

}  // namespace

std::vector<std::vector<Slot>> play(const Order& order, const Costs& costs) { return Player(order, costs).run(); }

}  // namespace foreflow::schedule
