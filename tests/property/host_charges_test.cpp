// What the host is charged for: each microbatch once, whatever the model, and each pass of a stage as one call.
#include <gtest/gtest.h>

#include "foreflow/base/nth.h"
#include "foreflow/scenario/run.h"
#include "foreflow/schedule/schedule.h"
#include "support/families.h"
#include "support/shared.h"

namespace foreflow::host_charges_test {
namespace {

struct Model {
  std::string name, workload;
  int tp, pp;
  bool trains;
};

void PrintTo(const Model& model, std::ostream* out) { *out << model.name; }

std::vector<Model> models() {
  std::vector<Model> all;
  for (const auto& [name, member] : test::members()) {
    const bool trains = member.mode == workload::Mode::training;
    if (member.sizes.find("\"decode\"") != std::string::npos) continue;  // as the prefill, with a cache
    all.push_back({name,
                   R"({"model": ")" + member.family + R"(", "mode": ")" + (trains ? "training" : "inference") + "\", " +
                       member.sizes.substr(1),
                   std::min(member.tp, 2), member.pp, trains});
  }
  all.push_back(
      {"gpt", R"({"model": "gpt", "layers": 8, "hidden": 8, "heads": 4, "sequence": 4, "vocabulary": 8})", 2, 4, true});
  all.push_back({"mlp", R"({"model": "mlp", "layers": 8, "hidden": 16})", 2, 4, true});
  return all;
}

scenario::Scenario scenario_of(const std::string& workload, const std::string& strategy, const std::string& host) {
  const std::string text = R"({"workload": )" + workload + R"(, "platform": {"topology": "dgx_a100", "nodes": 1},
      "engine": "analytic", "strategy": {)" +
                           strategy + R"(}, "host": {)" + host + "}}";
  return scenario::load(parse_json(text, "host.json"), "host.json");
}

// Seconds of the host by device, for all that is issued in an iteration.
using Charged = std::map<int32_t, double>;

Charged charged(const std::string& workload, const std::string& strategy, const std::string& host) {
  const scenario::Scenario scenario = scenario_of(workload, strategy, host);
  const auto platform               = scenario::load_platform(scenario.platform);
  const auto sequential             = scenario::build(scenario);
  const auto ready                  = scenario::resolve(scenario, sequential, *platform).value();
  const stream::Program program     = scenario::lower_scenario(ready, sequential, *platform).program();
  Charged all;
  for (const stream::Stream& stream : program.streams) {
    double& sum = all[nth(program.devices, stream.device).index];
    for (const stream::Item& item : stream.items) {
      const auto event = static_cast<size_t>(item.event);
      sum += (item.instance < 0 ? program.computes[event].issue : program.communications[event].issue).all.value();
    }
  }
  return all;
}

double total(const Charged& charged) {
  double sum = 0;
  for (const auto& [device, seconds] : charged) sum += seconds;
  return sum;
}

const std::string kMicrobatch = R"("microbatch": "1s")";

std::string parts(int pp, int microbatches) {
  return R"("pp": )" + std::to_string(pp) + R"(, "microbatches": )" + std::to_string(microbatches) +
         R"(, "global_batch": )" + std::to_string(2 * microbatches);
}

// Batch statistics are of all samples, so that the batch cannot be cut.
bool cuts_batch(const Model& model) { return model.name != "resnet"; }

class HostOfEveryModel : public testing::TestWithParam<Model> {};

TEST_P(HostOfEveryModel, IsChargedOnceForEachMicrobatch) {
  const Model& model = GetParam();
  const double once  = model.trains ? 1 : 0.5;  // the forward pass is half of it
  for (const int pp : {1, 2}) {
    for (const int microbatches : {1, 4}) {
      if (pp > model.pp || (!cuts_batch(model) && microbatches > 1)) continue;
      const double expected = microbatches * once;
      for (const std::string more :
           {"", R"(, "recompute": "full")", R"(, "offload": true)", R"(, "overlap_sends": true)"}) {
        if (!model.trains && !more.empty()) continue;
        if (more.find("offload") != std::string::npos && (microbatches == 1 || model.name == "moe")) continue;
        const std::string strategy = parts(pp, microbatches) + more;
        EXPECT_NEAR(total(charged(model.workload, strategy, kMicrobatch)), expected, 1e-9) << strategy;
      }
    }
  }
}

// Every shard has a host of its own, and chunks of an op are one op.
TEST_P(HostOfEveryModel, IsChargedOnEachShard) {
  const Model& model = GetParam();
  if (model.tp < 2 || model.pp < 2 || !cuts_batch(model)) return;
  for (const std::string more : {R"("tp": 2, )", R"("tp": 2, "overlap_tensor": 2, )"}) {
    const std::string strategy = more + parts(2, 2);
    const Charged found        = charged(model.workload, strategy, kMicrobatch);
    ASSERT_EQ(found.size(), 4u);
    for (const auto& [device, seconds] : found)
      EXPECT_NEAR(seconds, model.trains ? 1 : 0.5, 1e-9) << strategy << device;
  }
}

// The sums over replicas end a function of each replica, which is one microbatch or calls the passes over several.
TEST_P(HostOfEveryModel, IsChargedOnEachReplica) {
  const Model& model = GetParam();
  for (const int microbatches : {1, 4}) {
    if (!cuts_batch(model) && microbatches > 1) continue;
    for (const std::string overlap : {"false", "true"}) {
      if (!model.trains && overlap == "true") continue;
      const std::string strategy = R"("dp": 2, "overlap_gradients": )" + overlap + ", " + parts(1, microbatches);
      const Charged calls        = charged(model.workload, strategy, R"("call": "1s")");
      ASSERT_EQ(calls.size(), 2u) << strategy;
      for (const auto& [device, seconds] : calls)
        EXPECT_NEAR(seconds, microbatches * (model.trains ? 2 : 1), 1e-9) << strategy << " D" << device;
      for (const auto& [device, seconds] : charged(model.workload, strategy, kMicrobatch))
        EXPECT_NEAR(seconds, microbatches * (model.trains ? 1 : 0.5), 1e-9) << strategy << " D" << device;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, HostOfEveryModel, testing::ValuesIn(models()),
                         [](const auto& info) { return info.param.name; });

const std::string kGpt = R"({"model": "gpt", "layers": 16, "hidden": 8, "heads": 4, "sequence": 4, "vocabulary": 8})";

class HostOfEverySchedule : public testing::TestWithParam<std::string> {};

TEST_P(HostOfEverySchedule, IsChargedOnceForEachMicrobatch) {
  constexpr int kMicrobatches = 8;
  for (const std::string recompute : {"none", "full"}) {
    const std::string strategy =
        parts(4, kMicrobatches) + R"(, "schedule": ")" + GetParam() + R"(", "recompute": ")" + recompute + "\"";
    EXPECT_NEAR(total(charged(kGpt, strategy, kMicrobatch)), kMicrobatches, 1e-9) << strategy;
  }
}

std::vector<std::string> training_schedules() {
  std::vector<std::string> names;
  for (const schedule::ScheduleDef& schedule : schedule::schedules()) {
    if (schedule.trains) names.emplace_back(schedule.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Schedules, HostOfEverySchedule, testing::ValuesIn(training_schedules()),
                         [](const auto& info) { return info.param; });

TEST(HostCharges, AreHalfAtEitherEndOfThePipeline) {
  const Charged found = charged(kGpt, parts(4, 8), kMicrobatch);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_NEAR(found.at(1), 4, 1e-9);
  EXPECT_NEAR(found.at(2), 0, 1e-9);
  EXPECT_NEAR(found.at(3), 0, 1e-9);
  EXPECT_NEAR(found.at(4), 4, 1e-9);
}

TEST(HostCharges, AreTheSameOnReplicasAndWithStatesInParts) {
  for (const std::string zero : {"0", "1", "2", "3"}) {
    for (const std::string overlap : {"false", "true"}) {
      const std::string strategy = R"("dp": 2, "pp": 2, "microbatches": 2, "global_batch": 8, "zero": )" + zero +
                                   R"(, "overlap_gradients": )" + overlap;
      for (const auto& [device, seconds] : charged(kGpt, strategy, kMicrobatch))
        EXPECT_NEAR(seconds, 1, 1e-9) << strategy << " D" << device;
    }
  }
}

TEST(HostCharges, AreTheSameForUnequalStages) {
  const auto found = charged(kGpt, R"("pp": 2, "stage_tp": "2:1", "microbatches": 4, "global_batch": 8)", kMicrobatch);
  ASSERT_EQ(found.size(), 3u);
  for (const auto& [device, seconds] : found) EXPECT_NEAR(seconds, 2, 1e-9) << "D" << device;
}

// The forward and the backward pass are calls, also where a single microbatch is not cut; the update is not.
TEST(HostCharges, CountTheForwardAndTheBackwardPassAsCalls) {
  for (const int microbatches : {1, 2, 8})
    EXPECT_NEAR(total(charged(kGpt, parts(1, microbatches), R"("call": "1s")")), 2 * microbatches, 1e-9)
        << microbatches;
  for (const auto& [device, seconds] : charged(kGpt, parts(4, 8), R"("call": "1s")"))
    EXPECT_NEAR(seconds, 16, 1e-9) << "D" << device;
  const std::string chunks = parts(4, 8) + R"(, "schedule": "interleaved_1f1b", "virtual_stages": 2)";
  for (const auto& [device, seconds] : charged(kGpt, chunks, R"("call": "1s")"))
    EXPECT_NEAR(seconds, 32, 1e-9) << "D" << device;
}

// The tables of rotary embeddings depend on no parameter and are on no device, and are too large here to be constants.
// The first device makes them in its own passes.
TEST(HostCharges, CountWhatIsOnNoDeviceWithThePassesOfTheFirst) {
  const std::string llama = R"({"model": "llama", "layers": 2, "hidden": 16, "heads": 2, "kv_heads": 2,
      "feed_forward": 16, "sequence": 16384, "vocabulary": 8})";
  for (const std::string more : {R"("pp": 1)", R"("tp": 2)", R"("dp": 2, "zero": 1)", R"("pp": 2)"}) {
    for (const int microbatches : {1, 2}) {
      const std::string strategy = more + R"(, "global_batch": 4, "microbatches": )" + std::to_string(microbatches);
      for (const auto& [device, seconds] : charged(llama, strategy, R"("call": "1s")"))
        EXPECT_NEAR(seconds, 2 * microbatches, 1e-9) << strategy << " D" << device;
    }
  }
  EXPECT_NEAR(total(charged(llama, parts(1, 2), kMicrobatch)), 2, 1e-9);
}

// A function of each replica calls the passes and ends with the sums over replicas.
TEST(HostCharges, CountNoCallForWhatAReplicaDoesBesideItsPasses) {
  for (const auto& [device, seconds] : charged(kGpt, R"("dp": 2, )" + parts(1, 4), R"("call": "1s")"))
    EXPECT_NEAR(seconds, 8, 1e-9) << "D" << device;
}

// The device waits while the host prepares a microbatch and its backward pass; it computes only before and after.
TEST(HostCharges, OfAMicrobatchAreNoTimeOfComputes) {
  for (const std::string& strategy : {parts(1, 1), parts(2, 2), R"("dp": 2, )" + parts(1, 1)}) {
    const auto of = [&](const std::string& host) {
      const auto summary = scenario::run(scenario_of(kGpt, strategy, host)).summary;
      return summary.devices.front().compute.value();
    };
    EXPECT_NEAR(of(kMicrobatch), of(R"("microbatch": "0s")"), 1e-9) << strategy;
    EXPECT_NEAR(of(R"("call": "1s")"), of(R"("call": "0s")"), 1e-9) << strategy;
  }
}

TEST(HostCharges, CountTheStepOnceOnEachDevice) {
  for (const int microbatches : {1, 8}) {
    for (const auto& [device, seconds] : charged(kGpt, parts(4, microbatches), R"("step": "1s")"))
      EXPECT_NEAR(seconds, 1, 1e-9) << microbatches << " D" << device;
  }
}

TEST(HostCharges, AreOnceForAnImportedModel) {
  FOREFLOW_SHARED_OR_SKIP(model, "onnx/models/bert_mlm_vespa.onnx");
  const std::string workload =
      R"({"onnx": ")" + model.string() +
      R"(", "shapes": {"input_ids": [4, 16], "attention_mask": [4, 16], "token_type_ids": [4, 16]},
      "loss": "cross_entropy", "optimizer": "adam", "mode": "training"})";
  EXPECT_NEAR(total(charged(workload, R"("pp": 1)", kMicrobatch)), 1, 1e-9);
  EXPECT_NEAR(total(charged(workload, R"("pp": 2, "microbatches": 1)", kMicrobatch)), 1, 1e-9);
}

}  // namespace
}  // namespace foreflow::host_charges_test
