// Receivers that prepare a buffer in the memory of the host first (cost::StagedReceive): who waits for what, by hand.
#include <gtest/gtest.h>

#include "foreflow/cost/load.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/platform/link_kinds.h"
#include "foreflow/simulate/simulate.h"
#include "support/lowering.h"
#include "support/machine.h"

namespace foreflow::lower::staged_receive_test {
namespace {

constexpr double kWork = 5e-3, kCopy = 4e-3, kSend = 4e-6;  // of 4000 bytes, at 1 MB/s and at 1 GB/s
const std::string kValue = "Tensor[Float32, (1000,), ";

Json parameters(const std::string& launch) {
  return Json::object()
      .set("model", "distir")
      .set("kernel_launch", launch)
      .set("send_overhead", "5ms")
      .set("staging_bandwidth", "1MBps");
}

// What an op takes by the formulas of DistIR: it reads so many operands of 1000 numbers.
double op(double launch, int reads) { return launch + reads * 4000 / 9e11 + 1000 / 1.4e13; }

platform::Platform with_cores(const platform::Platform& machine) {
  std::vector<platform::Link> links = machine.links();
  links.push_back({"cores", std::string(platform::kCores), BytesPerSecond(1e9), Seconds(0)});
  return {"with cores", machine.devices(), links, [machine](int from, int to) { return machine.route(from, to); }};
}

platform::Platform machine() { return test::star(4, BytesPerSecond(1e9), Seconds(0)); }

class StagedReceive : public testing::TestWithParam<std::string> {
 protected:
  double seconds(const std::string& text, const std::string& launch, const platform::Platform& platform) const {
    const ir::Module module = ir::parse(text, "test", ops::table());
    const Json json         = parameters(launch);
    const auto lowered =
        lower(module, interpret::interpret_mixed(module, 0), cost::make_model(JsonView(json, "cost")), platform);
    const stream::Program program = lowered.program();
    stream::verify(program);
    return simulate::engines().get(GetParam(), "test").run(program, platform).makespan.value();
  }
};

TEST_P(StagedReceive, TheHostWorksWhileItsDeviceComputes) {
  const std::string text = "func @f(%x: " + kValue + "1], %w: " + kValue +
                           "2]) {\n  %a = Neg(%w)\n  %r: D2 = Send(%x, 2)\n  return %a, %r\n}";
  for (const auto& [launch, words] : {std::pair(1e-3, "1ms"), std::pair(9e-3, "9ms")})
    EXPECT_NEAR(seconds(text, words, machine()), std::max(op(launch, 1), kWork) + kCopy + kSend, 1e-9) << words;
}

TEST_P(StagedReceive, HostsOfAServerShareItsCores) {
  const std::string text = "func @f(%x: " + kValue + "1], %y: " + kValue +
                           "3]) {\n  %r: D2 = Send(%x, 2)\n  %s: D4 = Send(%y, 4)\n  return %r, %s\n}";
  EXPECT_NEAR(seconds(text, "1ms", machine()), kWork + kCopy + kSend, 1e-9);
  const double both = GetParam() == "analytic" ? kWork : 2 * kWork;  // which knows no contention
  EXPECT_NEAR(seconds(text, "1ms", with_cores(machine())), both + kCopy + kSend, 1e-9);
}

// Two messages to D2, between which it computes.
std::string between(const std::string& what) {
  return "func @f(%x: " + kValue + "1], %y: " + kValue + "1]) {\n  %r: D2 = Send(%x, 2)\n  %a = " + what +
         "\n  %s: D2 = Send(%y, 2)\n  return %a, %s\n}";
}

TEST_P(StagedReceive, TheHostRunsAheadOfWhatItDoesNotReadBack) {
  const double compute = op(9e-3, 1);
  EXPECT_NEAR(seconds(between("Neg(%r)"), "9ms", machine()),
              kWork + kCopy + std::max(kSend + compute, kWork) + kCopy + kSend, 1e-9);
}

TEST_P(StagedReceive, TheHostWaitsForAMaskThatItReadsBack) {
  const double compute = op(9e-3, 2);
  EXPECT_NEAR(seconds(between("ReluGrad(%r, %r)"), "9ms", machine()),
              kWork + kCopy + kSend + compute + kWork + kCopy + kSend, 1e-9);
}

TEST_P(StagedReceive, WithoutABandwidthOfStagingAMessageTakesWhatTheFormulaSays) {
  const std::string text  = "func @f(%x: " + kValue + "1]) {\n  %r: D2 = Send(%x, 2)\n  return %r\n}";
  const ir::Module module = ir::parse(text, "test", ops::table());
  const Json json = Json::object().set("model", "distir").set("send_overhead", "5ms").set("network_bandwidth", "1GBps");
  const auto lowered =
      lower(module, interpret::interpret_mixed(module, 0), cost::make_model(JsonView(json, "cost")), machine());
  EXPECT_NEAR(simulate::engines().get(GetParam(), "test").run(lowered.program(), machine()).makespan.value(),
              kWork + kSend, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Engines, StagedReceive, testing::Values("analytic", "simgrid", "simgrid_flows"),
                         [](const auto& row) { return row.param; });

}  // namespace
}  // namespace foreflow::lower::staged_receive_test
