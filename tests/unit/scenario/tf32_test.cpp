// "dtype": "tf32": tensors of Float32, products on the units of TF32, as with `cost.tf32`.
#include <gtest/gtest.h>

#include "foreflow/lower/pytorch.h"
#include "foreflow/scenario/run.h"
#include "foreflow/workload/preset.h"

namespace foreflow::scenario::tf32_test {
namespace {

Scenario loaded(const std::string& dtype, const std::string& cost, const std::string& topology = "dgx_a100") {
  const std::string text = R"({"workload": {"model": "llama", "layers": 2, "hidden": 4096, "heads": 32,
    "vocabulary": 32000, "sequence": 2048, "dtype": ")" +
                           dtype + R"("}, "platform": {"topology": ")" + topology + R"(", "nodes": 1}, "cost": )" +
                           cost + R"(, "strategy": {"tp": 2, "dp": 2, "zero": 1, "global_batch": 8}})";
  return load(parse_json(text, "tf32.json"), "tf32.json");
}

const std::vector<std::string> kModels = {"calibrated", "roofline"};

std::string named(const std::string& model, const std::string& more = "") {
  return R"({"model": ")" + model + "\"" + more + "}";
}

TEST(Tf32Workload, IsFloat32WithItsProductsOnOtherUnits) {
  for (const std::string& model : kModels) {
    const auto exact  = run(loaded("f32", named(model))).summary,
               stated = run(loaded("f32", named(model, R"(, "tf32": true)"))).summary,
               narrow = run(loaded("tf32", named(model))).summary;
    EXPECT_EQ(narrow.iteration_time, stated.iteration_time) << model;
    EXPECT_EQ(narrow.mfu, stated.mfu) << model;
    EXPECT_LT(narrow.iteration_time, 0.5 * exact.iteration_time) << model;
    EXPECT_EQ(narrow.devices[0].peak_memory, exact.devices[0].peak_memory) << model;
    EXPECT_EQ(narrow.job.dtype, "tf32") << model;
    EXPECT_EQ(exact.job.dtype, "f32") << model;
  }
}

// The rest of an iteration takes as long as before, so what is won is the arithmetic of the products.
TEST(Tf32Workload, IsShorterByTheArithmeticOfTheProducts) {
  const auto text = [](const char* dtype) {
    const std::string scenario = R"({"workload": {"model": "mlp", "layers": 4, "hidden": 8192, "dtype": ")" +
                                 std::string(dtype) + R"("}, "cost": {"model": "roofline"},
      "platform": {"topology": "dgx_a100", "nodes": 1}, "strategy": {"global_batch": 8192}})";
    return load(parse_json(scenario, "mlp.json"), "mlp.json");
  };
  const auto exact = run(text("f32")).summary, narrow = run(text("tf32")).summary;
  constexpr double kReached = 271.2 / 312;  // of the peak
  const double products     = 3 * 4 * 2 * 8192. * 8192 * 8192;
  const double expected     = products / kReached * (1 / 19.5e12 - 1 / 156e12);
  EXPECT_NEAR((exact.iteration_time - narrow.iteration_time).value(), expected, 1e-6 * expected);
}

std::string problem(const Scenario& scenario) {
  try {
    run(scenario);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Tf32Workload, IsRefusedWhereNothingHasSuchUnits) {
  EXPECT_EQ(problem(loaded("tf32", named("roofline"), "dgx2")),
            "tf32.json: $.workload.dtype: is tf32, of which V100-SXM3-32GB has no units; use f32");
  EXPECT_EQ(problem(loaded("f32", named("roofline", R"(, "tf32": true)"), "dgx2")), "");
}

TEST(Tf32Workload, MayNotBeContradicted) {
  const auto refused = [](const std::string& cost) {
    try {
      loaded("tf32", cost);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused(named("calibrated", R"(, "tf32": false)")),
            "tf32.json: $.cost.tf32: is false, but workload.dtype is tf32; leave it out, or write f32 there");
  EXPECT_EQ(refused(named("distir")),
            "tf32.json: $.cost.model: distir has no times for workload.dtype tf32; write f32 there, or roofline here");
  EXPECT_EQ(refused(named("calibrated", R"(, "tf32": true)")), "");
}

TEST(Tf32Workload, LeavesTheNamesOfPlacesAlone) {
  try {
    loaded("tf32", named("roofline", R"(, "compute_eficiency": 0.5)"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "tf32.json: $.cost.compute_eficiency");
  }
}

TEST(Tf32Workload, IsATypeOfEveryPreset) {
  for (const workload::Preset& preset : workload::presets()) {
    const std::string text  = R"({"workload": {"model": ")" + std::string(preset.name) + R"(", "dtype": "tf32"},
      "platform": {"topology": "dgx_h100", "nodes": 1}, "strategy": {"global_batch": 8}})";
    const Scenario scenario = load(parse_json(text, "preset.json"), "preset.json");
    EXPECT_TRUE(scenario.workload.tf32) << preset.name;
    EXPECT_EQ(scenario.workload.dtype, ir::DType::f32) << preset.name;
  }
}

TEST(Tf32Workload, ScriptsAllowTheUnits) {
  const std::string setting = "allow_tf32 = True";
  EXPECT_NE(lower::pytorch_script({}, "t", lower::Products::tf32).find(setting), std::string::npos);
  EXPECT_EQ(lower::pytorch_script({}, "t").find("allow_tf32"), std::string::npos);
}

}  // namespace
}  // namespace foreflow::scenario::tf32_test
