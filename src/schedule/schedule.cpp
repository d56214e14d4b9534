#include "foreflow/schedule/schedule.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>

namespace foreflow::schedule {

namespace definitions {
#define FOREFLOW_X(name) ScheduleDef name();
#include "schedule/schedules.def"
#undef FOREFLOW_X
}  // namespace definitions

namespace {

// Far above any real job (a million microbatches on eight stages), far below what exhausts memory.
constexpr int64_t kMostMicrobatchStages = int64_t{1} << 23;

}  // namespace

const Registry<ScheduleDef>& schedules() {
  static const Registry<ScheduleDef> table("schedule", {
#define FOREFLOW_X(name) definitions::name(),
#include "schedule/schedules.def"
#undef FOREFLOW_X
  });
  return table;
}

std::string label(const Task& task) {
  return fmt::format("{}{}", task.phase == Phase::forward ? 'F' : 'B', task.microbatch);
}

void check_size(int stages, int microbatches, const std::string& where) {
  if (stages < 1) throw Error(where, fmt::format("{} stages; a pipeline has at least 1", stages));
  if (microbatches < 1) throw Error(where, fmt::format("{} microbatches; a step has at least 1", microbatches));
  if (int64_t{stages} * microbatches > kMostMicrobatchStages) {
    throw Error(where, fmt::format("{} stages x {} microbatches is too much; the product may be {} at most", stages,
                                   microbatches, kMostMicrobatchStages));
  }
}

void check_costs(const Costs& costs, const std::string& where) {
  const auto refuse = [&](const char* name, double value, const char* right) {
    throw Error(where, fmt::format("a {} cost of {}; it is a finite number {}", name, value, right));
  };
  if (!std::isfinite(costs.forward) || costs.forward <= 0) refuse("forward", costs.forward, "above 0");
  if (!std::isfinite(costs.backward) || costs.backward <= 0) refuse("backward", costs.backward, "above 0");
  if (!std::isfinite(costs.hop) || costs.hop < 0) refuse("hop", costs.hop, "of 0 or more");
}

Order forward_only(const Order& order) {
  Order forwards(order.size());
  for (size_t stage = 0; stage < order.size(); ++stage) {
    std::copy_if(order[stage].begin(), order[stage].end(), std::back_inserter(forwards[stage]),
                 [](const Task& task) { return task.phase == Phase::forward; });
  }
  return forwards;
}

}  // namespace foreflow::schedule
