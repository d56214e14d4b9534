// What the cost model "distir" says of messages beyond its authors' formulas: simulated collectives, and what a Send
// costs the hosts.
#include <gtest/gtest.h>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"
#include "foreflow/cost/load.h"
#include "foreflow/ops/table.h"
#include "support/temporary.h"

namespace foreflow::cost::distir_messages_test {
namespace {

Json parameters(const Json& overhead) {
  return Json::object()
      .set("model", "distir")
      .set("network_bandwidth", "1GBps")
      .set("collectives", "simulated")
      .set("send_overhead", overhead);
}

const Json kByDevices = Json::object().set("2", "1ms").set("8", "20ms").set("4", "10ms");

// Seconds of 4000 bytes between two of `devices`.
double send(const CostModel& model) {
  const ir::Attributes to{{"to", 2}};
  const std::vector<ir::Type> types{ir::Type::tensor(ir::DType::f32, {1000})};
  const std::vector<const ir::Array*> known{nullptr};
  return model.communication({{ops::table().get("Send", "test"), to, types, known, 1}, types}, 2)
      .anywhere.value()
      .time.value();
}

double send(const Json& overhead, int devices) {
  const Json json = parameters(overhead);
  return send(make_model(JsonView(json, "s.json"), devices));
}

TEST(DistirMessages, ASendTakesTheOverheadAndTheTimeOfItsBytes) { EXPECT_DOUBLE_EQ(send("1ms", 4), 1e-3 + 4e-6); }

TEST(DistirMessages, ATableGivesTheOverheadOfTheLargestNumberOfDevicesThatIsNotAbove) {
  EXPECT_DOUBLE_EQ(send(kByDevices, 1), 4e-6);
  EXPECT_DOUBLE_EQ(send(kByDevices, 2), 1e-3 + 4e-6);
  EXPECT_DOUBLE_EQ(send(kByDevices, 7), 1e-2 + 4e-6);
  EXPECT_DOUBLE_EQ(send(kByDevices, 16), 2e-2 + 4e-6);
}

TEST(DistirMessages, ATableMayStandInACalibrationFile) {
  const test::TemporaryFolder folder;
  write_file(folder / "c.json", parameters(kByDevices).set("source", "the test").dump_compact());
  EXPECT_DOUBLE_EQ(send(load_model(folder / "c.json", Json::object(), 4)), 1e-2 + 4e-6);
}

TEST(DistirMessages, CollectivesAreLeftToTheNetwork) {
  const std::vector<ir::Type> types(2, ir::Type::tensor(ir::DType::f32, {1000}));
  const std::vector<const ir::Array*> known(2, nullptr);
  const ir::Attributes none;
  const Json json = parameters("1ms");
  const Application reduce{{ops::table().get("MPIAllreduce", "test"), none, types, known, 2}, types};
  EXPECT_FALSE(make_model(JsonView(json, "s.json")).communication(reduce, 2).anywhere.has_value());
}

std::string message_of(const Json& json) {
  try {
    make_model(JsonView(json, "s.json"), 4);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was wrong";
}

TEST(DistirMessages, SayWhatIsWrong) {
  EXPECT_EQ(
      message_of(parameters(Json::object().set("one", "1ms"))),
      "s.json: $.send_overhead: is a quantity, or a table by numbers of devices: {\"2\": \"1ms\", \"4\": \"10ms\"}");
  EXPECT_EQ(
      message_of(parameters(Json::object().set("2x", "1ms"))),
      "s.json: $.send_overhead: is a quantity, or a table by numbers of devices: {\"2\": \"1ms\", \"4\": \"10ms\"}");
  const Json fit      = Json(Json::Array{1, 2, 3});
  const Json formulas = Json::object().set("model", "distir").set("all_reduce", Json::object().set("2x", fit));
  EXPECT_EQ(message_of(formulas),
            "s.json: $.all_reduce.2x: write \"RANKS\": [a, b, c] for a * Gb + b * RANKS + c seconds, RANKS >= 2");
  EXPECT_EQ(message_of(parameters("1ms").set("collectives", "both")),
            "s.json: $.collectives: write formulas or simulated");
  EXPECT_EQ(message_of(parameters("1ms").set("all_reduce", Json::object())),
            "s.json: $.all_reduce: is a formula; leave it out where \"collectives\" are simulated");
}

}  // namespace
}  // namespace foreflow::cost::distir_messages_test
