// The cost model "calibrated": where its numbers come from.
#include <gtest/gtest.h>

#include <cmath>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"
#include "foreflow/cost/calibration.h"
#include "foreflow/cost/load.h"
#include "foreflow/cost/signature.h"
#include "foreflow/ir/replicas.h"
#include "foreflow/ops/table.h"
#include "support/temporary.h"

namespace foreflow::cost::calibrated_test {
namespace {

const char* const kFile = R"({
  "source": "the test", "model": "calibrated",
  "families": [
    {"op": "Add", "dtype": "f32", "ranks": 1, "fixed": "1us", "bandwidth": "1GBps",
     "points": [{"signature": "Add(f32[4] f32[4]) -> f32[4]", "flops": 4, "bytes": "48B", "time": "7us"},
                {"signature": "Add(f32[500] f32[500]) -> f32[500]", "flops": 500, "bytes": "6000B", "time": "7us"}]},
    {"op": "Send", "dtype": "f32", "ranks": 2, "fixed": "5us", "bandwidth": "1GBps", "points": []}
  ]
})";

CostModel model(const Json& overrides = Json::object()) {
  const test::TemporaryFolder folder;
  write_file(folder / "c.json", kFile);
  return load_model(folder / "c.json", overrides);
}

struct Example {
  std::vector<ir::Type> inputs, outputs;
  std::vector<const ir::Array*> known{2, nullptr};

  Example(int64_t size, size_t arity)
      : inputs(arity, ir::Type::tensor(ir::DType::f32, {size})), outputs{inputs[0]}, known(arity, nullptr) {}
  Application application(const char* op, const ir::Attributes& attributes, bool on_host = false) const {
    return {{ops::table().get(op, "test"), attributes, inputs, known, 1}, outputs, on_host};
  }
};

const ir::Attributes kNone;
const platform::Device kDevice{
    "gpu0", "test", "node0", Bytes(1e9), BytesPerSecond(1e9), {{"f32", FlopsPerSecond(1e9)}}, Seconds(1)};

TEST(Calibrated, LooksUpMeasuredWork) {
  const Example four(4, 2);
  const Price price = model().compute(four.application("Add", kNone), kDevice);
  EXPECT_EQ(price.provenance, Provenance::table);
  EXPECT_DOUBLE_EQ(price.time.value(), 7e-6);
}

// Measurements are of kernels that run alone. An addition that is one kernel with the op before it launches none and
// does not read 16 of its 48 bytes.
TEST(Calibrated, TakesTheShareOfAFusedKernelFromTheDataSheet) {
  const Example four(4, 2);
  Application fused     = four.application("Add", kNone);
  fused.joined          = true;
  fused.kept            = Bytes(16);
  const CostModel sheet = cost_models().get("roofline", "test").make(JsonView(Json::object(), "test"));
  const double share = sheet.compute(fused, kDevice).time / sheet.compute(four.application("Add", kNone), kDevice).time;
  EXPECT_LT(share, 1e-6);  // a launch takes a second
  EXPECT_DOUBLE_EQ(model().compute(fused, kDevice).time.value(), share * 7e-6);
}

TEST(Calibrated, ExtendsALineBeyondIt) {
  const Example thousand(1000, 2);
  const Price price = model().compute(thousand.application("Add", kNone), kDevice);
  EXPECT_EQ(price.provenance, Provenance::regression);
  EXPECT_DOUBLE_EQ(price.time.value(), 1e-6 + 12000 / 1e9);  // three times 4000 bytes
}

// 90 us for 1.2 MB of additions, for which the laws of an A100 have a few.
TEST(Calibrated, TakesNoLessTimeByLawsThanWasMeasuredOfLessWork) {
  const platform::Device a100{
      "gpu0", "A100-SXM4-80GB", "node0", Bytes(80e9), BytesPerSecond(2039e9), {{"f32", FlopsPerSecond(19.5e12)}}, {}};
  const std::string laws = FOREFLOW_SOURCE_DIR "/calibration/devices/a100_sxm.json";
  Json file              = parse_json(read_file(laws), laws);
  const Example more(110'000, 2);
  const auto priced = [&] {
    const test::TemporaryFolder folder;
    write_file(folder / "slow.json", file.dump());
    return load_model(folder / "slow.json", Json::object()).compute(more.application("Add", kNone), a100);
  };
  EXPECT_LT(priced().time, Seconds(20e-6));
  file.set("families", parse_json(R"([{"op": "Add", "dtype": "f32", "ranks": 1, "fixed": "0s", "bandwidth": "1000GBps",
     "points": [{"signature": "Add(a) -> a", "flops": 1e5, "bytes": "1.2MB", "time": "90us"
},
                {"signature": "Add(b) -> b", "flops": 1e4, "bytes": "1kB", "time": "1us"}]
}])",
                                  "the test"));
  EXPECT_DOUBLE_EQ(priced().time.value(), 90e-6);
}

// 5 us for few bytes say nothing of 3.2 GB of operands and results, which memory of 1 GB/s moves in 3.2 s.
TEST(Calibrated, ExtendsNoLineFasterThanTheDataSheet) {
  const test::TemporaryFolder folder;
  write_file(folder / "flat.json", R"({"model": "calibrated", "families": [
    {"op": "Add", "dtype": "f32", "ranks": 1, "fixed": "5us",
     "points": [{"signature": "a", "flops": 4, "bytes": "48B", "time": "5us"},
                {"signature": "b", "flops": 8, "bytes": "96B", "time": "5us"}]}]})");
  const CostModel flat = load_model(folder / "flat.json", Json::object());
  const Example six(6, 2), many(int64_t{1} << 28, 2);
  EXPECT_EQ(flat.compute(six.application("Add", kNone), kDevice).provenance, Provenance::interpolated);
  EXPECT_DOUBLE_EQ(flat.compute(six.application("Add", kNone), kDevice).time.value(), 5e-6);
  const Price price = flat.compute(many.application("Add", kNone), kDevice);
  EXPECT_EQ(price.provenance, Provenance::roofline);
  const Json nothing = Json::object();
  EXPECT_EQ(price.time, cost_models()
                            .get("roofline", "test")
                            .make(JsonView(nothing, "test"))
                            .compute(many.application("Add", kNone), kDevice)
                            .time);
  EXPECT_GT(price.time.value(), 12 * std::pow(2.0, 28) / 1e9);
}

// 12 GB in 100 s, of which the data sheet has one second for the launch.
TEST(Calibrated, ScalesTheTimeOfOneLargePoint) {
  const test::TemporaryFolder folder;
  write_file(folder / "one.json", R"({"model": "calibrated", "families": [
    {"op": "Add", "dtype": "f32", "ranks": 1, "fixed": "100s",
     "points": [{"signature": "a", "flops": 1e9, "bytes": "12GB", "time": "100s"}]}]})");
  const CostModel one = load_model(folder / "one.json", Json::object());
  for (const int64_t size : {500'000'000, 2'000'000'000}) {
    const Price price = one.compute(Example(size, 2).application("Add", kNone), kDevice);
    EXPECT_EQ(price.provenance, Provenance::regression);
    EXPECT_NEAR(price.time.value(), 1 + 99 * (static_cast<double>(size) / 1e9), 1e-9);
  }
}

TEST(Calibrated, TakesNoTimeOfOthersForAnOpThatLaunchesNoKernel) {
  const ir::Attributes none;
  const Example wide(1000, 1), measured(8, 1);
  const auto work = [&](const Example& example) {
    const Application free = example.application("Identity", none);
    return free.call.def.work(free.call, free.outputs);
  };
  ASSERT_EQ(work(wide).kernels, 0);
  const test::TemporaryFolder folder;
  write_file(folder / "free.json", R"({"model": "calibrated", "families": [
    {"op": "Identity", "dtype": "f32", "ranks": 1, "fixed": "1ms", "bandwidth": "1GBps",
     "points": [{"signature": "Identity(f32[8]) -> f32[8]", "flops": 0, "bytes": "0B", "time": "1ms"}]}]})");
  const CostModel free = load_model(folder / "free.json", Json::object());
  EXPECT_EQ(free.compute(wide.application("Identity", none), kDevice).time, Seconds(0));
  EXPECT_DOUBLE_EQ(free.compute(measured.application("Identity", none), kDevice).time.value(), 1e-3);
}

TEST(Calibrated, SaysOnWhichDeviceTimesWereMeasured) {
  const auto assumption = [&](const Json& overrides) {
    platform::Device v100 = kDevice;
    v100.kind             = "V100-SXM2-16GB";
    return model(overrides).assumption(v100);
  };
  EXPECT_EQ(assumption(Json::object().set("device", "NVIDIA H100 80GB HBM3")),
            "times that were measured on NVIDIA H100 80GB HBM3 are taken for V100-SXM2-16GB");
  EXPECT_EQ(assumption(Json::object().set("device", "Tesla V100-SXM2-16GB")), "");
  EXPECT_EQ(assumption(Json::object()), "");
}

TEST(Calibrated, SaysWhichKeysOfLawsChangeNothing) {
  const Json stated = Json::object().set("loss_bytes", "36B").set("attention", "flash2").set("tf32", true);
  EXPECT_EQ(model(stated).assumption(kDevice),
            "cost.attention, cost.loss_bytes change nothing: the calibration has measured times and no laws");
  EXPECT_EQ(model(Json::object().set("tf32", true)).assumption(kDevice), "");  // of data sheets, too
}

TEST(Calibrated, TakesTheRooflineForOpsThatWereNeverMeasured) {
  const Example thousand(1000, 1);
  const Application relu  = thousand.application("Relu", kNone);
  const Json nothing      = Json::object();
  const CostModel without = cost_models().get("roofline", "test").make(JsonView(nothing, "test"));
  const Price price       = model().compute(relu, kDevice);
  EXPECT_EQ(price.provenance, Provenance::roofline);
  EXPECT_EQ(price.time, without.compute(relu, kDevice).time);
}

TEST(Calibrated, ChargesShapeArithmeticOnlyWhereItWasMeasured) {
  const Example four(4, 2), five(5, 2);
  EXPECT_DOUBLE_EQ(model().compute(four.application("Add", kNone, true), kDevice).time.value(), 7e-6);
  EXPECT_EQ(model().compute(five.application("Add", kNone, true), kDevice).time, Seconds(0));
}

TEST(Calibrated, TimesMessagesUnlessTheyAreToBeSimulated) {
  const ir::Attributes to{{"to", 2}};
  const Example thousand(1000, 1);
  const Application send = thousand.application("Send", to);
  EXPECT_DOUBLE_EQ(model().communication(send, 2).on(1).value().time.value(), 5e-6 + 4000 / 1e9);
  EXPECT_FALSE(model().communication(send, 3).on(1).has_value());
  EXPECT_FALSE(model(Json::object().set("messages", "simulated")).communication(send, 2).on(1).has_value());
}

// The family of the file says no number of nodes, which is 1.
TEST(Calibrated, TimesMessagesOnAsManyNodesAsWereMeasured) {
  const ir::Attributes to{{"to", 2}};
  const Example thousand(1000, 1);
  const MessagePrice price = model().communication(thousand.application("Send", to), 2);
  EXPECT_FALSE(price.anywhere);
  ASSERT_EQ(price.measured.size(), 1U);
  EXPECT_EQ(price.measured[0].nodes, 1);
  EXPECT_FALSE(price.on(2));
}

std::string message_of(const Json& parameters) {
  try {
    cost_models().get("calibrated", "test").make(JsonView(parameters, "s.json"));
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was wrong";
}

TEST(Calibrated, IsReadFromNoScenario) {
  const test::TemporaryFolder folder;
  write_file(folder / "own.json", R"({"workload": {"model": "mlp"}})");
  try {
    load_model(folder / "own.json", Json::object());
    ADD_FAILURE() << "accepted a scenario";
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "is a scenario, no calibration; `foreflow calibrate` makes one of measurements");
  }
}

TEST(Calibrated, SaysWhatIsMissing) {
  EXPECT_EQ(message_of(parse_json(R"({"device": "A100-SXM4-80GB", "laws": [{}]})", "s.json")),
            "s.json: $.laws[0]: the key \"law\" is missing");
  EXPECT_EQ(message_of(Json::object().set("families", Json::array()).set("messages", "none")),
            "s.json: $.messages: is \"none\"; write measured or simulated");
}

// Seconds of an update of 2^28 parameters on an A100 with the laws that come with Foreflow.
double update_time(const char* gradient_bytes, int sharers) {
  const platform::Device a100{
      "gpu0", "A100-SXM4-80GB", "node0", Bytes(80e9), BytesPerSecond(2039e9), {{"f32", FlopsPerSecond(19.5e12)}}, {}};
  const Json json =
      Json::object().set("model", "calibrated").set("optimizer_bytes", "46B").set("gradient_bytes", gradient_bytes);
  const Example weights(int64_t{1} << 28, 5);
  const CostModel model = make_model(JsonView(json, "s.json"));
  const ir::Attributes shared{{std::string(ir::kSharers), int64_t{sharers}}};
  return model.compute(weights.application("AdamOptimizer", shared), a100).time.value();
}

// ZeRO 1 among four leaves a device as many gradients as before, and a quarter of the parameters to update: 4 x 16
// bytes more for each of them, where it was 16.
TEST(Calibrated, PricesAllGradientsThatADeviceHoldsWithTheParametersThatItUpdates) {
  const double none = update_time("0B", 1), alone = update_time("16B", 1), shared = update_time("16B", 4);
  EXPECT_NEAR((shared - none) / (alone - none), 4, 1e-9);
  EXPECT_NEAR((alone - none) / none, 16.0 / 46, 1e-3);  // the cache takes less than a thousandth of it
  EXPECT_DOUBLE_EQ(update_time("0B", 4), none);
}

// Seconds that an A100 takes for a tuple op on two tensors of float, of 2^27 elements each.
double tuple_time(const char* op, const ir::Dims& dims, const Json& terms) {
  const platform::Device a100{
      "gpu0", "A100-SXM4-80GB", "node0", Bytes(80e9), BytesPerSecond(2039e9), {{"f32", FlopsPerSecond(19.5e12)}}, {}};
  const ir::Type one = ir::Type::tensor(ir::DType::f32, dims);
  const std::vector<ir::Type> apart{one, one}, together{ir::Type::tuple({one, one})};
  const bool packs = std::string_view(op) == "PackTuple";
  const std::vector<const ir::Array*> known(2, nullptr);
  const Application application{{ops::table().get(op, "test"), kNone, packs ? apart : together, known, packs ? 1U : 2U},
                                packs ? together : apart};
  return make_model(JsonView(terms, "s.json")).compute(application, a100).time.value();
}

// ZeRO holds parts as rows, (1, n), and whole tensors as (replicas, n).
TEST(Calibrated, PricesWhatIsMovedBesideTheCollectivesOfWholeTensorsAlone) {
  const ir::Dims whole{8, int64_t{1} << 24}, part{1, int64_t{1} << 27};
  const auto terms = [](const char* key, const char* bytes) {
    return Json::object().set("model", "calibrated").set(key, bytes);
  };
  EXPECT_EQ(tuple_time("PackTuple", whole, terms("loss_bytes", "8B")), 0);
  for (const auto& [op, key] : {std::pair("PackTuple", "reduced_bytes"), std::pair("UnpackTuple", "gathered_bytes")}) {
    const double eight = tuple_time(op, whole, terms(key, "8B")), ten = tuple_time(op, whole, terms(key, "10B"));
    // Beyond what the cache holds each byte takes as long, at most the memory's bandwidth.
    const double two = tuple_time(op, whole, terms(key, "12B")) - ten;
    EXPECT_NEAR(ten - eight, two, 1e-9 * ten) << op;
    EXPECT_GT(two, 2 * std::pow(2.0, 28) / 2039e9);
    EXPECT_EQ(tuple_time(op, part, terms(key, "8B")), 0);
  }
}

// Seconds that an A100 takes for an op on tensors [4,2^12,2^12] of which it reads `arity` and writes one, beside a
// scale or angles.
double chain_time(const char* op, ir::DType dtype, std::vector<ir::Type> beside, size_t arity, const Json& terms) {
  const platform::Device a100{
      "gpu0", "A100-SXM4-80GB", "node0", Bytes(80e9), BytesPerSecond(2039e9), {{"f32", FlopsPerSecond(19.5e12)}}, {}};
  const ir::Type x = ir::Type::tensor(dtype, {4, 1 << 12, 1 << 12});
  std::vector<ir::Type> inputs{x}, outputs{x};
  inputs.insert(inputs.end(), beside.begin(), beside.end());
  if (arity > 1) inputs.push_back(x);
  const std::vector<const ir::Array*> known(inputs.size(), nullptr);
  const Application application{{ops::table().get(op, "test"), kNone, inputs, known, 1}, outputs};
  return make_model(JsonView(terms, "s.json")).compute(application, a100).time.value();
}

// An addition in 16 bits reads 4 bytes for each element and writes 2.
TEST(Calibrated, PricesAChainOfKernelsAsElementWiseKernelsThatMoveAsMuch) {
  using ir::DType;
  const Json none      = Json::object().set("model", "calibrated");
  const auto terms     = [&](const char* key) { return Json(none).set(key, "6B"); };
  const ir::Type scale = ir::Type::tensor(DType::bf16, {1 << 12}), table = ir::Type::tensor(DType::f32, {8, 16});
  const ir::Type position = ir::Type::tensor(DType::i64, {1});
  const std::vector<ir::Type> angles{position, table, table};
  const double addition = chain_time("Add", DType::bf16, {}, 2, none);
  EXPECT_DOUBLE_EQ(chain_time("SimplifiedLayerNormalization", DType::bf16, {scale}, 1, terms("norm_bytes")), addition);
  EXPECT_DOUBLE_EQ(
      chain_time("SimplifiedLayerNormalizationGrad", DType::bf16, {scale}, 2, terms("norm_gradient_bytes")), addition);
  EXPECT_DOUBLE_EQ(chain_time("RotaryEmbedding", DType::bf16, angles, 1, terms("rotary_bytes")), addition);
  // Chains in fp32 have no casts, and keys of other chains change nothing.
  for (const DType dtype : {DType::f32, DType::bf16}) {
    const bool other = dtype == DType::bf16;
    EXPECT_EQ(chain_time("RotaryEmbedding", dtype, angles, 1, terms(other ? "norm_bytes" : "rotary_bytes")),
              chain_time("RotaryEmbedding", dtype, angles, 1, none));
  }
}

TEST(Signature, NamesOpAttributesAndTypesWithoutDevices) {
  const ir::Attributes attributes{{"transB", 1}};
  const std::vector<ir::Type> inputs = {ir::Type::tensor(ir::DType::f32, {2, 3}, ir::Device(1)),
                                        ir::Type::tensor(ir::DType::f16, {4, 3}), ir::Type()};
  const std::vector<const ir::Array*> known(3, nullptr);
  const std::vector<ir::Type> outputs = {
      ir::Type::tuple({ir::Type::scalar(ir::DType::i64), ir::Type::tensor(ir::DType::f32, {2, 4})})};
  EXPECT_EQ(signature({ops::table().get("Gemm", "test"), attributes, inputs, known, 1}, outputs),
            "Gemm{transB=1}(f32[2x3] f16[4x3] _) -> (i64[] f32[2x4])");
  EXPECT_EQ(message_signature("Send", Bytes(64), 2), "Send 64 B over 2");
}

}  // namespace
}  // namespace foreflow::cost::calibrated_test
