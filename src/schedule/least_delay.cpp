#include "foreflow/schedule/measure.h"

namespace foreflow::schedule {
namespace {

// Times that differ by less are the same, summed up in another order.
constexpr double kRounding = 1e-9;

double makespan(const Plan& plan, const Costs& costs) { return measure(plan, play(plan, costs), costs).makespan; }

}  // namespace

int least_delay(const Plan& plan, const Costs& costs) {
  Costs at_once = costs;
  at_once.hop   = 0;
  for (StageCosts& stage : at_once.stages) stage.from_previous = stage.from_next = 0;
  const double covered = makespan(plan, at_once) * (1 + kRounding);
  int waiting          = 0;
  double time          = makespan(delay_weight_gradients(plan, 0, costs), costs);
  while (time > covered) {
    const double more = makespan(delay_weight_gradients(plan, waiting + 1, costs), costs);
    if (more >= time * (1 - kRounding)) break;
    ++waiting;
    time = more;
  }
  return waiting;
}

}  // namespace foreflow::schedule
