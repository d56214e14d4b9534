// Locating values without types agrees with the devices that type interpretation finds, on every workload and
// distribution.
#include "foreflow/interpret/devices.h"

#include <gtest/gtest.h>

#include "foreflow/base/nth.h"
#include "foreflow/interpret/mixed.h"
#include "foreflow/onnx/gpt2_graph.h"
#include "foreflow/onnx/import.h"
#include "foreflow/ops/table.h"
#include "foreflow/scenario/shapes.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/pieces.h"
#include "foreflow/transform/simplify.h"
#include "property/op_samples.h"
#include "support/distribution.h"

namespace foreflow::devices_test {
namespace {

using interpret::Locations;
using test::Split;

void expect_same_devices(const ir::Module& module) {
  const auto types          = interpret::interpret_mixed(module, module.functions.size() - 1);
  const Locations locations = interpret::locate(module, module.functions.size() - 1);
  // Walk both along the same calls: shapes tell more calls apart than devices do.
  std::set<std::pair<int32_t, int32_t>> seen;
  std::vector<std::pair<int32_t, int32_t>> left{
      {static_cast<int32_t>(types.instances.size() - 1), static_cast<int32_t>(locations.instances.size() - 1)}};
  while (!left.empty()) {
    const auto [t, p] = left.back();
    left.pop_back();
    if (!seen.insert({t, p}).second) continue;
    const auto& typed  = nth(types.instances, t);
    const auto& placed = nth(locations.instances, p);
    ASSERT_EQ(typed.function, placed.function);
    for (size_t v = 0; v < typed.values.size(); ++v) {
      ASSERT_EQ(interpret::devices_of(interpret::location_of(typed.values[v].type)),
                interpret::devices_of(placed.values[v]))
          << "%" << module.functions[typed.function].values[v].name;
    }
    ASSERT_EQ(typed.maps, placed.maps);
    for (size_t o = 0; o < typed.callee.size(); ++o) {
      if (typed.callee[o] >= 0) left.emplace_back(typed.callee[o], placed.callee[o]);
    }
  }
}

void expect_same_devices_when_distributed(const ir::Module& module) {
  expect_same_devices(module);
  const std::vector<Split> splits{{.dp = 2},
                                  {.tp = 2},
                                  {.pp = 2, .microbatches = 4},
                                  {.dp = 2, .tp = 2, .pp = 2, .microbatches = 2, .schedule = "gpipe"}};
  for (const Split& split : splits) {
    SCOPED_TRACE(test::to_string(split));
    for (const transform::Distributed& step : test::distribute(module, split)) expect_same_devices(step.module);
  }
}

ir::Module training(const std::string& family, const std::string& sizes, const std::string& optimizer) {
  const ir::Module forward = test::family(family, sizes, 8, workload::Mode::training);
  const ir::Module step =
      transform::add_optimizer(transform::differentiate(forward, ops::table()), ops::table(), optimizer);
  return transform::eliminate_dead_code(transform::resolve(step));
}

TEST(Locations, AgreesWithTypesOnMlp) {
  const std::string sizes = R"({"layers": 4, "hidden": 8})";
  expect_same_devices_when_distributed(test::family("mlp", sizes, 8, workload::Mode::inference));
  expect_same_devices_when_distributed(training("mlp", sizes, "sgd"));
}

TEST(Locations, AgreesWithTypesOnGpt) {
  const std::string sizes = R"({"layers": 4, "hidden": 16, "heads": 4, "sequence": 4, "vocabulary": 11})";
  expect_same_devices_when_distributed(training("gpt", sizes, "adam"));
}

TEST(Locations, AgreesWithTypesOnTheGpt2Graph) {
  const std::string bytes = onnx::write_gpt2({.layers = 2, .heads = 2, .hidden = 8, .vocabulary = 11, .positions = 4});
  const onnx::Imported imported = onnx::import_bytes(bytes, "gpt2", ops::table());
  const ir::Module graph        = scenario::with_shapes(imported, {{imported.inputs.front().name, {8, 1, 4}}}, "test");
  expect_same_devices(graph);
  expect_same_devices_when_distributed(transform::eliminate_dead_code(transform::resolve(graph)));
}

class EveryOpPlaced : public ::testing::TestWithParam<std::string> {};

// Each sample on devices: as it says itself, or else all of it on device 3.
TEST_P(EveryOpPlaced, IsWhereItsTypesAre) {
  const ir::OpDef& def = ops::table().get(GetParam(), "test");
  std::mt19937_64 rng(1);
  for (const ir::OpDef::Sample& sample : def.samples()) {
    std::vector<test::Operand> operands = test::random_operands(sample, rng);
    std::vector<ir::Type> types;
    std::vector<const ir::Array*> known;
    std::vector<interpret::Location> inputs;
    for (test::Operand& operand : operands) {
      const bool given = !operand.left_out();
      if (given && !ir::device_of(operand.type).placed()) operand.type = ir::moved(operand.type, ir::Device(3));
      types.push_back(operand.type);
      known.push_back(given ? &operand.array : nullptr);
      inputs.push_back(interpret::location_of(operand.type));
    }
    ir::Op op;
    op.def          = &def;
    op.attributes   = std::make_shared<const ir::Attributes>(sample.attributes);
    op.result_count = static_cast<uint32_t>(sample.outputs);
    const ir::Module none;
    const auto locations = interpret::DeviceDomain{none}.apply(op, inputs);
    const auto expected  = interpret::infer_placed(op, types, known);
    ASSERT_EQ(locations.size(), expected.size());
    for (size_t i = 0; i < locations.size(); ++i) {
      EXPECT_EQ(interpret::devices_of(locations[i]), interpret::devices_of(interpret::location_of(expected[i])));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryOpPlaced, ::testing::ValuesIn(test::op_names()), test::op_test_name);

}  // namespace
}  // namespace foreflow::devices_test
