// A program in a pipeline computes what its sequential original does, under every schedule of the table, and every
// device runs its tasks in the order of the schedule.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>

#include "foreflow/base/nth.h"
#include "foreflow/interpret/concrete.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/schedule/plan.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/pieces.h"
#include "foreflow/transform/simplify.h"
#include "support/distribution.h"

namespace foreflow::pipeline_schedules_test {
namespace {

using test::Split;
using workload::Mode;

constexpr double kTolerance = 1e-4;  // 32-bit floats, summed in another order
constexpr int64_t kBatch    = 8;

ir::Module trained(const ir::Module& forward) {
  const ir::Module gradients = transform::differentiate(forward, ops::table());
  return transform::eliminate_dead_code(
      transform::resolve(transform::add_optimizer(gradients, ops::table(), "momentum")));
}

ir::Module mlp(int layers) {
  return test::family("mlp", R"({"layers": )" + std::to_string(layers) + R"(, "hidden": 8})", kBatch, Mode::training);
}

// Its embedding is its output layer, too.
ir::Module gpt() {
  return test::family("gpt", R"({"layers": 8, "hidden": 8, "heads": 2, "sequence": 2, "vocabulary": 6})", kBatch,
                      Mode::training);
}

// Encoder and decoder of `depth` levels each; what a level of the encoder makes is read again by that of the decoder.
ir::Module skips(int depth) {
  std::string weights, ops;
  const auto layer = [&](const std::string& name, const std::string& input) {
    weights += "weight %w." + name + ": Tensor[Float32, (8, 8)], weight %b." + name + ": Tensor[Float32, (8,)], ";
    ops += "  %m." + name + " = MatMul(%" + input + ", %w." + name + ")\n  %a." + name + " = Add(%m." + name + ", %b." +
           name + ")\n  %" + name + " = Relu(%a." + name + ")\n";
  };
  std::string last = "x";
  for (int level = 0; level < depth; ++level) {
    layer("down" + std::to_string(level), last);
    last = "down" + std::to_string(level);
  }
  for (int level = depth; level-- > 0;) {
    const std::string name = "up" + std::to_string(level);
    layer(name, last);
    ops += fmt::format("  %s.{0} = Add(%{0}, %down{1})\n", name, level);
    last = "s." + name;
  }
  return ir::parse("func @skips(" + weights + "%x: Tensor[Float32, (8, 8)], %target: Tensor[Float32, (8, 8)]) {\n" +
                       ops + "  %loss = Loss[count = 64](%" + last + ", %target)\n  return %loss\n}\n",
                   "skips", ops::table());
}

struct Original {
  ir::Module module;
  std::vector<ir::Array> arguments, results;
};

Original original(ir::Module module) {
  std::mt19937_64 random(7);
  Original made{std::move(module), {}, {}};
  made.arguments = test::random_arguments(made.module, random, 6);
  made.results   = interpret::evaluate(made.module, made.module.functions.size() - 1, made.arguments);
  return made;
}

const std::map<std::string, Original>& originals() {
  static const std::map<std::string, Original> kOriginals = [] {
    std::map<std::string, Original> all;
    all.emplace("mlp", original(trained(mlp(16))));
    all.emplace("gpt", original(trained(gpt())));
    all.emplace("skips", original(trained(skips(5))));
    all.emplace("gpt_gradients", original(transform::resolve(transform::differentiate(gpt(), ops::table()))));
    return all;
  }();
  return kOriginals;
}

bool refused(const Split& split) {
  try {
    test::pipeline(split.pp, split.microbatches, split.schedule, split.virtual_stages);
  } catch (const Error&) {
    return true;
  }
  return false;
}

void expect_same_numbers(const Original& original, const Split& split) {
  SCOPED_TRACE(test::to_string(split));
  const auto steps   = test::distribute(original.module, split);
  const auto results = test::run(steps, original.arguments, original.results.size());
  ASSERT_EQ(results.size(), original.results.size());
  for (size_t i = 0; i < results.size(); ++i)
    EXPECT_LE(test::relative_difference(results[i], original.results[i]), kTolerance) << "result " << i;
}

std::vector<std::string> schedules_that_train() {
  std::vector<std::string> names;
  for (const auto& schedule : schedule::schedules()) {
    if (schedule.trains) names.emplace_back(schedule.name);
  }
  return names;
}

bool is_split_already(const std::string& name) {
  return !schedule::refuse_delay(schedule::schedules().get(name, "test")).empty();
}

class EveryPipelinedSchedule : public testing::TestWithParam<std::string> {};

TEST_P(EveryPipelinedSchedule, ComputesTheSameNumbersAsTheSequentialProgram) {
  int tried = 0;
  for (const auto& [name, original] : originals()) {
    SCOPED_TRACE(name);
    for (const int pp : {1, 2, 3, 4}) {
      for (const int microbatches : {1, 2, 4, 8}) {
        for (const std::optional<int> chunks : {std::optional<int>(), std::optional<int>(3)}) {
          for (const bool delayed : {false, true}) {
            Split split{1, 1, pp, microbatches, GetParam()};
            split.virtual_stages         = chunks;
            split.delay_weight_gradients = delayed;
            if (refused(split) || (delayed && (is_split_already(GetParam()) || chunks))) continue;
            if (pp == 1 && microbatches == 1) continue;
            expect_same_numbers(original, split);
            ++tried;
          }
        }
      }
    }
  }
  EXPECT_GE(tried, 4);
}

TEST_P(EveryPipelinedSchedule, ComputesTheSameNumbersBesideTensorAndDataParallelism) {
  for (const auto& [dp, tp, pp] :
       {std::tuple(2, 2, 2), std::tuple(1, 2, 4), std::tuple(2, 1, 4), std::tuple(4, 1, 2)}) {
    for (const int microbatches : {1, 2, 4, 8}) {
      const Split split{dp, tp, pp, microbatches, GetParam()};
      const int parts = dp * microbatches;
      if (kBatch % parts != 0 || refused(split)) continue;
      expect_same_numbers(originals().at("gpt"), split);
      expect_same_numbers(originals().at("mlp"), split);
    }
  }
}

size_t functions_of(const Original& original, const Split& split) {
  return test::distribute(original.module, split).back().module.functions.size();
}

TEST_P(EveryPipelinedSchedule, ComputesTheSameNumbersWhereStagesShareFunctions) {
  int fewer = 0;
  for (const char* name : {"mlp", "gpt"}) {
    SCOPED_TRACE(name);
    for (const auto partition : {transform::StagePartition::layers, transform::StagePartition::balanced}) {
      Split split{1, 2, 4, 8, GetParam()};
      split.partition = partition;
      split.layers    = {.layers = 8};  // with tensor parallelism, of an MLP two at a time
      if (refused(split)) continue;
      const size_t apart     = functions_of(originals().at(name), split);
      split.shares_functions = true;
      fewer += functions_of(originals().at(name), split) < apart ? 1 : 0;
      expect_same_numbers(originals().at(name), split);
    }
  }
  EXPECT_GT(fewer, 0);
}

// Which microbatch a call works on: that of its first argument that has one. Sums stand behind all others.
class Tracer {
 public:
  explicit Tracer(const transform::Distributed& distributed)
      : module_(distributed.module), of_(distributed.module.entry().values.size(), -1) {
    for (size_t i = 0; i < distributed.parameters.size(); ++i) {
      if (distributed.parameters[i].layout.is_split()) of_[i] = distributed.parameters[i].index;
    }
  }

  // "stage2_forward 3": per device.
  std::map<int, std::vector<std::string>> calls() {
    std::map<int, std::vector<std::string>> all;
    const ir::Function& entry = module_.entry();
    std::vector<int> device(entry.values.size(), 0);
    for (size_t i = 0; i < entry.parameters.size(); ++i) device[i] = ir::device_of(*entry.values[i].annotation).index;
    for (const ir::Op& op : entry.ops) {
      int part = -1, on = 0;
      for (const ir::ValueId id : entry.inputs(op)) {
        if (part < 0) part = of_[ir::index(id)];
        if (on == 0) on = device[ir::index(id)];
      }
      if (!op.is_call() && op.def->name == "Send") on = std::get<ir::Device>(*op.attributes->find("to")).index;
      for (uint32_t i = 0; i < op.result_count; ++i) {
        of_[op.first_result + i]    = part;
        device[op.first_result + i] = on;
      }
      if (!op.is_call()) continue;
      const std::string& name = nth(module_.functions, op.callee).name;
      all[on].push_back(name.substr(0, name.find("_add")) + " " + std::to_string(part));
    }
    return all;
  }

 private:
  const ir::Module& module_;
  std::vector<int> of_;  // per value: its microbatch; -1: none
};

TEST_P(EveryPipelinedSchedule, RunsTheTasksOfEachDeviceInItsOrder) {
  const std::map<schedule::Phase, std::string> names = {{schedule::Phase::forward, "_forward "},
                                                        {schedule::Phase::backward, "_backward "},
                                                        {schedule::Phase::input_grad, "_input_grad "},
                                                        {schedule::Phase::weight_grad, "_weight_grad "}};
  const Original& original                           = originals().at("mlp");
  for (const int microbatches : {2, 4, 8}) {
    const Split split{1, 1, 4, microbatches, GetParam()};
    if (refused(split)) continue;
    transform::Pipeline wanted     = test::pipeline(4, microbatches, GetParam());
    wanted.prices.seconds_per_byte = 0;  // so that every stage has products, and with them weight gradients
    const auto plan                = schedule::plan(*wanted.schedule, wanted.size);
    const auto distributed         = transform::pipeline(original.module, ops::table(), wanted);
    auto calls                     = Tracer(distributed).calls();
    for (int device = 0; device < 4; ++device) {
      std::vector<std::string> expected;
      for (const schedule::Task& task : nth(plan.order, device)) {
        expected.push_back("stage" + std::to_string(plan.stage_of(device, task.chunk) + 1) + names.at(task.phase) +
                           std::to_string(plan.part(task)));
      }
      EXPECT_EQ(calls[device + 1], expected) << GetParam() << ", device " << device << " of K = " << microbatches;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Pipeline, EveryPipelinedSchedule, testing::ValuesIn(schedules_that_train()),
                         [](const auto& info) { return "s_" + info.param; });

}  // namespace
}  // namespace foreflow::pipeline_schedules_test
