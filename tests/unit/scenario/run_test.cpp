#include "foreflow/scenario/run.h"

#include <gtest/gtest.h>

#include "foreflow/base/text.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/report/memory.h"
#include "scenario/sequential/program.h"
#include "support/temporary.h"

namespace foreflow::scenario::run_test {
namespace {

constexpr double kLayers = 4, kHidden = 64, kBatch = 32;

Scenario mlp(const std::string& strategy, const std::string& mode = "training") {
  const std::string text = R"({"workload": {"model": "mlp", "layers": 4, "hidden": 64, "mode": ")" + mode +
                           R"("}, "platform": {"topology": "dgx2"}, "engine": "analytic", "strategy": )" + strategy +
                           "}";
  return load(parse_json(text, "mlp.json"), "mlp.json");
}

// Seconds of the work of all devices.
double device_seconds(const Outcome& outcome) {
  double sum = 0;
  for (const report::DeviceSummary& device : outcome.summary.devices)
    sum += static_cast<double>(device.count()) * (device.busy + device.idle).value();
  return sum;
}

TEST(Chain, CountsTwoFlopsForEachMultiplyAddOfAnMlp) {
  const Sequential sequential = build(mlp(R"({"global_batch": 32})", "inference"));
  const double products       = kLayers * 2 * kBatch * kHidden * kHidden;
  EXPECT_GE(sequential.model_flops.value(), products);
  EXPECT_LT(sequential.model_flops.value(), products + kLayers * 2 * kBatch * kHidden);  // and the Relus
  EXPECT_EQ(sequential.samples, 32);
}

TEST(Chain, TrainsWithThreeTimesTheProductsOfInference) {
  const double inference = build(mlp(R"({"global_batch": 32})", "inference")).model_flops.value();
  const double training  = build(mlp(R"({"global_batch": 32})")).model_flops.value();
  EXPECT_GT(training, 2 * inference);  // the first layer needs no gradient of its input
  EXPECT_LT(training, 3.5 * inference);
}

TEST(Chain, UsesAsManyDevicesAsTheStrategySays) {
  for (const auto& [strategy, devices] :
       std::map<std::string, size_t>{{R"({"global_batch": 32})", 1},
                                     {R"({"dp": 4, "global_batch": 32})", 4},
                                     {R"({"tp": 4, "global_batch": 32})", 4},
                                     {R"({"dp": 2, "tp": 2, "global_batch": 32})", 4},
                                     {R"({"pp": 2, "microbatches": 4, "global_batch": 32})", 2},
                                     {R"({"dp": 2, "tp": 2, "pp": 2, "microbatches": 4, "global_batch": 32})", 8}}) {
    const Outcome outcome = run(mlp(strategy));
    EXPECT_EQ(outcome.summary.device_count, static_cast<int64_t>(devices)) << strategy;
    EXPECT_NEAR(device_seconds(outcome), static_cast<double>(devices) * outcome.summary.iteration_time.value(), 1e-9)
        << strategy;
    EXPECT_GT(outcome.summary.iteration_time.value(), 0) << strategy;
  }
}

TEST(Chain, ExecutesTheFlopsOfTheModelHoweverItsBatchIsSplit) {
  const double model = build(mlp(R"({"global_batch": 32})", "inference")).model_flops.value();
  for (const char* strategy :
       {R"({"dp": 4, "global_batch": 32})", R"({"pp": 2, "microbatches": 4, "global_batch": 32})"}) {
    EXPECT_NEAR(run(mlp(strategy, "inference")).summary.job.hardware_flops.value(), model, 1e-6 * model) << strategy;
  }
}

TEST(Chain, RepeatsOnlyElementWiseWorkOnTensorParallelRanks) {
  const double model    = build(mlp(R"({"global_batch": 32})", "inference")).model_flops.value();
  const double executed = run(mlp(R"({"tp": 4, "global_batch": 32})", "inference")).summary.job.hardware_flops.value();
  EXPECT_GE(executed, model);
  EXPECT_LE(executed, model + 3 * kLayers * 2 * kBatch * kHidden);
}

TEST(Chain, GivesTheSameAnswerTwice) {
  const Scenario scenario = mlp(R"({"dp": 2, "tp": 2, "global_batch": 32})");
  const auto answer       = [&] {
    const Outcome outcome = run(scenario);
    return report::to_json(outcome.summary, outcome.program, *outcome.platform).dump();
  };
  EXPECT_EQ(answer(), answer());
}

TEST(Chain, EnginesAgreeOnOneDevice) {
  Scenario scenario     = mlp(R"({"global_batch": 32})");
  const double analytic = run(scenario).summary.iteration_time.value();
  scenario.engine       = &simulate::engines().get("simgrid", "the test");
  EXPECT_NEAR(run(scenario).summary.iteration_time.value(), analytic, 1e-9 * analytic);
}

TEST(Chain, RefusesMoreDevicesThanThereAre) {
  try {
    run(mlp(R"({"dp": 32, "global_batch": 32})"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "mlp.json: $.strategy: dp x tp x pp = 32 devices are more than the 16 of dgx2_1; add nodes or lower "
                 "dp, tp or pp");
  }
}

constexpr std::string_view kPlaced = R"(func @two(%x: Tensor[Float32, (8, 8), 1]) {
  %y = Relu(%x)
  %z = Send(%y, 2)
  %w = Relu(%z)
  return %w
}
)";

Scenario of_program(const test::TemporaryFolder& folder, std::string_view program, const std::string& strategy) {
  write_file(folder / "p.distir", program);
  const std::string text =
      R"({"workload": {"distir": "p.distir"}, "platform": {"topology": "dgx2"}, "engine": "analytic", "strategy": )" +
      strategy + "}";
  return load(parse_json(text, "s.json"), folder / "s.json");
}

TEST(Programs, ThatAlreadyLiveOnDevicesRunAsTheyStand) {
  const test::TemporaryFolder folder;
  const Outcome outcome = run(of_program(folder, kPlaced, "{}"));
  EXPECT_EQ(outcome.summary.devices.size(), 2U);
  EXPECT_EQ(outcome.summary.job.samples, 8);
}

// As exported models in half precision that normalise in Float32: the peak is that of the units that multiply.
TEST(Programs, AreComparedWithThePeakOfTheTypeThatMostArithmeticIsIn) {
  const test::TemporaryFolder folder;
  const std::string_view program = R"(func @f(%x: Tensor[Float32, (4096, 4096)], %w: Tensor[Float16, (4096, 4096)]) {
  %y = Relu(%x)
  %h = Cast[to = Float16](%y)
  %z = MatMul(%h, %w)
  return %z
}
)";
  const report::Summary summary  = run(of_program(folder, program, "{}")).summary;
  EXPECT_EQ(summary.job.dtype, "f16");
  EXPECT_LT(summary.mfu, 1);
  const double peak = 125e12;  // of a V100's tensor cores
  EXPECT_NEAR(summary.mfu, summary.model_rate.value() / peak, 1e-9);
}

TEST(Programs, ThatAlreadyLiveOnDevicesAreNotSplitAgain) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(run(of_program(folder, kPlaced, R"({"dp": 2})")), Error);
}

TEST(Programs, ChangeTheirDataTypeInTypesConstantsAndCasts) {
  const ir::Module module = ir::parse(R"(func @f(%x: Tensor[Float32, (2,)], %n: Tensor[Int64, (2,)]) {
  %c = Constant[value = Float32(1,)[0.5]]()
  %m = Cast[to = "Float32"](%n)
  %y = Mul(%x, %c)
  %z = Add(%y, %m)
  return %z
}
)",
                                      "f.distir", ops::table());
  const std::string half  = ir::print(with_dtype(module, ir::DType::f16));
  EXPECT_EQ(half.find("Float32"), std::string::npos) << half;
  EXPECT_NE(half.find("Int64"), std::string::npos) << half;
  EXPECT_TRUE(ir::same_program(with_dtype(module, ir::DType::f32), module));
}

}  // namespace
}  // namespace foreflow::scenario::run_test
