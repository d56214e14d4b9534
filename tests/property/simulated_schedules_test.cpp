// Programs under every schedule, lowered and simulated, are what the schedule promises: they take as long as its plan
// when it is played, and every device holds as many microbatches as the schedule says.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "foreflow/base/nth.h"
#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/text.h"
#include "foreflow/lower/lower.h"
#include "foreflow/ops/table.h"
#include "foreflow/schedule/measure.h"
#include "foreflow/simulate/simulate.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/overlap.h"
#include "foreflow/transform/simplify.h"
#include "support/distribution.h"
#include "support/machine.h"

namespace foreflow::simulated_schedules_test {
namespace {

using schedule::Costs;
using schedule::Plan;
using schedule::ScheduleDef;

// Equal layers, one sample a microbatch; each keeps %kept.. until the gradient of its weight is made.
ir::Module layers(int count, int samples, bool trains) {
  const std::string shape = "Tensor[Float32, (" + std::to_string(samples) + ", 4)]";
  std::string weights, ops, last = "x";
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    weights += "weight %w" + n + ": Tensor[Float32, (4, 4)], ";
    ops += fmt::format("  %kept{0} = Gelu(%{1})\n  %y{0} = MatMul(%kept{0}, %w{0})\n", n, last);
    last = "y" + n;
  }
  const std::string head = "func @layers(" + weights + "%x: " + shape;
  if (!trains) return ir::parse(head + ") {\n" + ops + "  return %" + last + "\n}\n", "layers", ops::table());
  const ir::Module model =
      ir::parse(head + ", %target: " + shape + ") {\n" + ops + "  %loss = Loss[count = " + std::to_string(4 * samples) +
                    "](%" + last + ", %target)\n  return %loss\n}\n",
                "layers", ops::table());
  const ir::Module gradients = transform::differentiate(model, ops::table(), transform::Inputs::floating);
  return transform::resolve(transform::add_optimizer(gradients, ops::table(), "sgd"));
}

// A table of events: products take what the schedule's tasks take, and nothing else takes time.
Seconds price(const ir::OpCall& call, const Costs& costs) {
  if (call.def.name == "MatMul") return Seconds(costs.forward);
  if (call.def.name == "MatMulGrad") return Seconds(costs.backward());
  if (call.def.name != "Gemm" && call.def.name != "FusedMatMul") return Seconds(0);
  return Seconds(call.attributes.find("transA") != nullptr ? costs.weight_grad : costs.input_grad);
}

struct Case {
  const ScheduleDef& schedule;
  schedule::Size size;
  Costs costs;  // of a task: of one chunk
  bool delayed = false;
  int more     = 0;  // layers in the first stage than the one in each of the others

  int stages() const { return schedule::stages(schedule.mapping, size); }
};

struct Simulated {
  stream::Program program;
  stream::Timeline timeline;
};

Simulated simulated(const Case& asked) {
  transform::Pipeline wanted;
  wanted.schedule               = &asked.schedule;
  wanted.size                   = asked.size;
  wanted.delay_weight_gradients = asked.delayed;
  wanted.prices.op  = [&](const ir::OpCall& call, std::span<const ir::Type>) { return price(call, asked.costs); };
  wanted.prices.hop = [&](Bytes) { return Seconds(asked.costs.hop); };
  constexpr int kOpsOfALayer = 2;
  for (int stage = 1; stage <= asked.stages(); ++stage)
    wanted.stage_ends.push_back(kOpsOfALayer * (stage + asked.more));
  if (asked.schedule.trains) ++wanted.stage_ends.back();  // the loss
  ir::Module module = layers(asked.stages() + asked.more, asked.size.microbatches, asked.schedule.trains);
  module            = transform::pipeline(module, ops::table(), wanted).module;
  module            = transform::overlap_sends(module, ops::table());
  cost::CostModel table;
  table.compute = [&](const cost::Application& application, const platform::Device&) {
    return cost::Price{price(application.call, asked.costs), cost::Provenance::table};
  };
  table.communication = [](const cost::Application&, int) { return cost::MessagePrice(); };
  const auto network  = test::star(asked.size.devices, BytesPerSecond(1e30), Seconds(asked.costs.hop));
  const auto meaning  = interpret::interpret_mixed(module, module.functions.size() - 1);
  Simulated result{lower::lower(module, meaning, table, network).program(), {}};
  result.timeline = simulate::engines().get("analytic", "test").run(result.program, network);
  return result;
}

// The end of the last task: behind it come the sums over two pipes.
double end_of_tasks(const Simulated& simulated) {
  double end = 0;
  for (size_t s = 0; s < simulated.program.streams.size(); ++s) {
    const auto& items = simulated.program.streams[s].items;
    for (size_t i = 0; i < items.size(); ++i) {
      if (items[i].instance >= 0) continue;
      if (nth(simulated.program.computes, items[i].event).duration == Seconds(0)) continue;
      end = std::max(end, simulated.timeline.records[s][i].end.value());
    }
  }
  return end;
}

Costs costs_of(const Case& asked) {
  const Costs& one = asked.costs;
  Costs costs{.hop = one.hop};
  costs.stages.assign(static_cast<size_t>(asked.stages()), {one.forward, one.input_grad, one.weight_grad});
  const double layers = 1 + asked.more;
  costs.stages[0]     = {layers * one.forward, layers * one.input_grad, layers * one.weight_grad};
  return costs;
}

// Programs run the two halves of a cell one after the other, each as soon as its inputs are there.
Plan plan_of(const Case& asked) {
  Plan plan         = schedule::plan(asked.schedule, asked.size);
  const Costs costs = costs_of(asked);
  if (asked.delayed) plan = schedule::delay_weight_gradients(plan, schedule::least_delay(plan, costs), costs);
  for (auto& tasks : plan.order) {
    for (schedule::Task& task : tasks) task.joined = false;
  }
  return plan;
}

schedule::Measures played(const Case& asked) {
  const Plan plan   = plan_of(asked);
  const Costs costs = costs_of(asked);
  return schedule::measure(plan, schedule::play(plan, costs), costs);
}

// The most %kept.. that are alive on a device at once.
int most_held(const stream::Program& program, int device) {
  const stream::Trail trail    = stream::trail(program, device);
  const stream::Storage& names = *nth(program.devices, device).storage;
  int held = 0, most = 0;
  for (const stream::Trail::Change& change : trail.rows[0].changes) {
    const auto buffer = static_cast<size_t>(nth(trail.buffers, change.buffer));
    if (!nth(names.names, names.buffers[buffer].name).starts_with("kept")) continue;
    held += change.made ? 1 : -1;
    most = std::max(most, held);
  }
  EXPECT_EQ(held, 0);
  return most;
}

class EverySimulatedSchedule : public testing::TestWithParam<std::string> {
 protected:
  static const ScheduleDef& row() { return schedule::schedules().get(GetParam(), "test"); }

  // Every size with 2 to 8 devices that the schedule runs.
  template <typename Visit>
  static void for_every_size(Visit visit) {
    for (int devices = 2; devices <= 8; ++devices) {
      for (const int microbatches : {1, 2, 3, 4, 5, 6, 8, 12, 16, 20}) {
        for (const int chunks : row().chunks == schedule::kAnyChunks ? std::vector{2, 3} : std::vector{row().chunks}) {
          const schedule::Size size{devices, microbatches, chunks};
          if (row().refuse != nullptr && !row().refuse(size).empty()) continue;
          SCOPED_TRACE("P = " + std::to_string(devices) + ", K = " + std::to_string(microbatches) +
                       ", chunks = " + std::to_string(chunks));
          visit(size);
        }
      }
    }
  }
};

constexpr double kSame = 1e-9;  // relative

TEST_P(EverySimulatedSchedule, TakesAsLongAsItsPlan) {
  for_every_size([&](const schedule::Size& size) {
    for (const Costs& costs :
         {Costs{1, 1, 1, 0}, Costs{1, 0.75, 0.5, 0}, Costs{3, 4, 2, 0}, Costs{1, 1, 1, 0.5}, Costs{2, 3, 0.5, 0.25}}) {
      const Case asked{row(), size, costs};
      const double expected = played(asked).makespan;
      ASSERT_NEAR(end_of_tasks(simulated(asked)), expected, kSame * expected) << "hop " << costs.hop;
    }
  });
}

TEST_P(EverySimulatedSchedule, HoldsAsManyMicrobatchesAsItSays) {
  if (!row().trains) return;  // nothing is kept
  for_every_size([&](const schedule::Size& size) {
    const Simulated made = simulated({row(), size, Costs{1, 0.75, 0.5, 0.25}});
    for (int device = 0; device < size.devices; ++device)
      ASSERT_EQ(most_held(made.program, device), row().peak_live(size, device)) << "device " << device;
  });
}

// Weight gradients wait as the prices of the program ask for; the device then holds the microbatches that they belong
// to.
TEST_P(EverySimulatedSchedule, KeepsItsPromisesWithDelayedWeightGradients) {
  if (!schedule::refuse_delay(row()).empty()) return;
  int waited = 0;
  for_every_size([&](const schedule::Size& size) {
    for (const Costs& costs : {Costs{1, 0.75, 0.5, 0.25}, Costs{1, 1, 1, 0.75}, Costs{2, 2, 0.5, 1.5}}) {
      for (const int more : {0, 1}) {
        SCOPED_TRACE("hop " + std::to_string(costs.hop) + ", more " + std::to_string(more));
        const Case asked{row(), size, costs, true, more}, whole{row(), size, costs, false, more};
        const Simulated made              = simulated(asked);
        const schedule::Measures expected = played(asked);
        ASSERT_NEAR(end_of_tasks(made), expected.makespan, kSame * expected.makespan);
        ASSERT_LE(expected.makespan, played(whole).makespan * (1 + kSame));
        for (int device = 0; device < size.devices; ++device) {
          const auto d = static_cast<size_t>(device);
          if (more == 0) {
            ASSERT_EQ(most_held(made.program, device), expected.peak_in_flight[d]) << "device " << device;
          }
          waited += expected.peak_in_flight[d] > row().peak_live(size, device) ? 1 : 0;
        }
      }
    }
  });
  // All backwards in a row wait for nothing but the first.
  const bool in_a_row = row().name == "gpipe" || row().name == "looped_bfs";
  EXPECT_EQ(waited > 0, !in_a_row);
}

INSTANTIATE_TEST_SUITE_P(Schedules, EverySimulatedSchedule, testing::ValuesIn(schedule::schedules().names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace foreflow::simulated_schedules_test
