// What crosses from stage to stage: the residual stream forward and its gradient backward, once each, with sequence
// parallelism one part of it for each tensor-parallel rank. For every schedule, recomputation and tensor plan.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "foreflow/base/nth.h"
#include "foreflow/scenario/run.h"
#include "foreflow/schedule/plan.h"

namespace foreflow::stage_messages_test {
namespace {

constexpr int kStages = 4, kMicrobatches = 8;
constexpr int64_t kHidden = 64, kSequence = 32, kVocabulary = 128, kWidth = 2;  // bytes of bf16

// How often a microbatch moves on to another device in a forward pass, over all microbatches.
int64_t hops(const schedule::ScheduleDef& schedule) {
  const schedule::Plan plan =
      schedule::plan(schedule, schedule::checked_size(schedule, kStages, kMicrobatches, {}, ""));
  std::map<std::tuple<int, int, int>, int> device_of;  // by pipe, microbatch, stage
  for (int device = 0; device < kStages; ++device) {
    for (const schedule::Task& task : nth(plan.order, device)) {
      if (task.phase != schedule::Phase::forward) continue;
      device_of[{plan.pipe_of(task.chunk), task.microbatch, plan.stage_of(device, task.chunk)}] = device;
    }
  }
  int64_t count = 0;
  for (const auto& [at, device] : device_of) {
    const auto& [pipe, microbatch, stage] = at;
    const auto next                       = device_of.find({pipe, microbatch, stage + 1});
    count += next != device_of.end() && next->second != device ? 1 : 0;
  }
  return count;
}

struct Kind {
  const char* name;
  const char* strategy;
  int tp;
  bool parts;  // sequence parallelism
};

constexpr Kind kKinds[] = {
    {"alone", R"("tp": 1)", 1, false},
    {"shards", R"("tp": 2)", 2, false},
    {"megatron", R"("tp": 2, "tensor_plan": "megatron")", 2, false},
    {"vocabulary", R"("tp": 2, "vocabulary_parallel": true)", 2, false},
    {"sequence", R"("tp": 2, "sequence_parallel": true)", 2, true},
    {"all", R"("tp": 2, "sequence_parallel": true, "vocabulary_parallel": true)", 2, true},
};

// The bytes of all messages between stages, and how many there are. Gradients of weights that two stages hold, of a
// tied embedding or of two pipes, are no part of them: they are exchanged once an iteration.
std::map<int64_t, int64_t> messages(const std::string& model, const std::string& schedule, const std::string& rest,
                                    bool parts) {
  const std::string text = R"({"workload": {"model": ")" + model +
                           R"(", "layers": 8, "hidden": 64, "heads": 4, "sequence": 32, "vocabulary": 128,
                       "dtype": "bf16", "optimizer": "sgd"},
          "platform": {"topology": "dgx_a100", "nodes": 1}, "engine": "analytic", "cost": {"model": "roofline"},
          "strategy": {"pp": 4, "microbatches": 8, "global_batch": 8, "schedule": ")" +
                           schedule + "\", " + rest + "}}";
  const scenario::Outcome outcome = scenario::run(scenario::load(parse_json(text, "stages"), "stages"));
  std::map<int64_t, int64_t> all;
  for (const auto& row : outcome.summary.collectives) {
    const auto bytes   = static_cast<int64_t>(row.bytes.value());
    const bool weights = bytes == kWidth * kHidden || bytes == kWidth * kHidden * kVocabulary ||
                         (parts && bytes == kWidth * kHidden * kSequence);  // positions
    if (row.kind == "send" && !weights) all[bytes] += row.count;
  }
  return all;
}

class BoundariesOfEverySchedule : public testing::TestWithParam<std::string> {};

// Every kind with every recomputation; the forms of attention and the partitions take turns.
TEST_P(BoundariesOfEverySchedule, SendsTheResidualStreamOnceEachWayAndNothingElse) {
  const int64_t each = hops(schedule::schedules().get(GetParam(), ""));
  size_t turn        = 0;
  for (const std::string model : {"llama", "gpt"}) {
    for (const Kind& kind : kKinds) {
      if (model == "gpt" && std::string(kind.strategy).find("vocabulary") != std::string::npos) continue;  // tied
      for (const std::string recompute : {"none", "selective", "op", "full"}) {
        for (const std::string attention : {"flash", "unfused"}) {
          for (const std::string partition : {"balanced", "uniform", "layers"}) {
            if (partition == "uniform" && model == "gpt") continue;
            if (turn++ % 2 != 0) continue;
            const std::string rest = std::string(kind.strategy) + R"(, "recompute": ")" + recompute +
                                     R"(", "attention": ")" + attention + R"(", "stage_partition": ")" + partition +
                                     "\"";
            const int64_t bytes = kSequence * kHidden * kWidth / (kind.parts ? kind.tp : 1);
            const std::map<int64_t, int64_t> expected{{bytes, 2 * each * kind.tp}};
            EXPECT_EQ(messages(model, GetParam(), rest, kind.parts), expected) << model << ": " << rest;
          }
        }
      }
    }
  }
}

std::vector<std::string> training_schedules() {
  std::vector<std::string> names;
  for (const schedule::ScheduleDef& schedule : schedule::schedules()) {
    if (schedule.trains) names.emplace_back(schedule.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Schedules, BoundariesOfEverySchedule, testing::ValuesIn(training_schedules()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace foreflow::stage_messages_test
