#include <gtest/gtest.h>

#include <string>

#include "foreflow/scenario/run.h"

namespace foreflow::workload::mlp_test {
namespace {

double peak(const std::string& keys) {
  const std::string text = R"({"workload": {"model": "mlp", "layers": 16, "hidden": 64, "mode": "training")" + keys +
                           R"(}, "platform": {"topology": "dgx1"}, "cost": {"model": "roofline"}, "engine": "analytic",
    "strategy": {"global_batch": 512}})";
  const scenario::Outcome outcome = scenario::run(scenario::load(parse_json(text, "mlp"), "mlp"));
  return outcome.summary.devices[0].peak_memory.value();
}

// Relu has its result kept by the next layer; with its operand a layer keeps twice as much.
TEST(Mlp, KeepsProductsUnlessToldOtherwise) {
  const double products = 16 * 512 * 64 * 4.0;
  EXPECT_EQ(peak(""), peak(R"(, "keeps_products": true)"));
  const double saved = peak("") - peak(R"(, "keeps_products": false)");
  EXPECT_GT(saved, 0.9 * products);
  EXPECT_LE(saved, products);
}

}  // namespace
}  // namespace foreflow::workload::mlp_test
