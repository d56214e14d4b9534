// ZeRO beside every other axis computes what the sequential program does; and the program of one replica, lowered for
// all, takes the time and memory of the program of all.
#include <gtest/gtest.h>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ops/table.h"
#include "foreflow/simulate/simulate.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/pieces.h"
#include "foreflow/transform/replica.h"
#include "foreflow/transform/simplify.h"
#include "foreflow/transform/split_data.h"
#include "foreflow/transform/tensor.h"
#include "support/cluster.h"
#include "support/distribution.h"
#include "support/lowering.h"

namespace foreflow::zero_axes_test {
namespace {

using test::Split;
using workload::Mode;

constexpr int64_t kBatch = 8, kVocabulary = 12;
constexpr double kTolerance = 1e-4;

ir::Module step_of(const std::string& family) {
  const std::string sizes =
      family == "moe" ? R"({"layers": 2, "hidden": 16, "feed_forward": 8, "heads": 4, "kv_heads": 2, "sequence": 8,
                                      "vocabulary": 12, "experts": 4, "capacity_factor": 1, "routing_groups": 4})"
                      : R"({"layers": 2, "hidden": 16, "heads": 4, "sequence": 8, "vocabulary": 12})";
  const ir::Module forward = test::family(family, sizes, kBatch, Mode::training);
  const ir::Module step =
      transform::add_optimizer(transform::differentiate(forward, ops::table()), ops::table(), "adam");
  return transform::eliminate_dead_code(transform::resolve(step));
}

class ZeroBeside : public testing::TestWithParam<std::string> {};

TEST_P(ZeroBeside, EveryOtherAxisComputesTheSameNumbers) {
  const std::string family = GetParam();
  const ir::Module module  = step_of(family);
  std::mt19937_64 random(20262);
  const auto arguments      = test::random_arguments(module, random, kVocabulary);
  const auto expected       = interpret::evaluate(module, module.functions.size() - 1, arguments);
  std::vector<Split> splits = {
      {.cp = 2},
      {.by_block = true, .cp = 4},
      {.microbatches = 2, .cp = 2},
      {.pp = 2, .microbatches = 2, .cp = 2},
      {.tp = 2, .pp = 2, .microbatches = 4, .schedule = "interleaved_1f1b", .cp = 2, .sequence = true},
      {.dp = 2, .cp = 2},
      {.dp = 2, .by_block = true, .cp = 2},
      {.dp = 2, .pp = 2, .microbatches = 2, .cp = 2},
      {.dp = 2, .tp = 2, .sequence = true},
      {.dp = 2, .tp = 2, .vocabulary = true},
      {.dp = 2, .tp = 2, .by_block = true, .sequence = true, .vocabulary = true},
      {.dp = 2, .tp = 2, .chunks = 2},
      {.dp = 2, .tp = 2, .chunks = 2, .cp = 2},
      {.dp = 2, .tp = 2, .chunks = 2, .cp = 2, .sequence = true},
      {.dp = 2, .tp = 2, .pp = 2, .microbatches = 2, .chunks = 2, .sequence = true, .vocabulary = true},
      {.dp = 2, .pp = 2, .microbatches = 4, .schedule = "interleaved_1f1b"}};
  for (const char* schedule :
       {"gpipe", "looped_bfs", "eager_1f1b", "zb_h1", "zb_h2", "zb_v", "chimera", "dualpipe", "dualpipe_v"})
    splits.push_back({.dp = 2, .pp = 2, .microbatches = 4, .schedule = schedule});
  if (family == "moe")
    splits = {{.dp = 2, .ep = 2},
              {.dp = 4, .ep = 2},
              {.dp = 4, .microbatches = 2, .ep = 2},
              {.dp = 4, .pp = 2, .microbatches = 2, .ep = 2},
              {.dp = 2, .cp = 2, .ep = 4},
              {.dp = 2, .cp = 4, .ep = 2},
              {.dp = 4, .cp = 2, .ep = 4},
              {.dp = 4, .tp = 2, .chunks = 2, .ep = 2},
              {.dp = 4, .tp = 2, .ep = 2, .sequence = true}};
  for (Split split : splits) {
    for (const int zero : {1, 2, 3}) {
      for (const auto& [overlap, limited] : {std::pair{false, false}, {true, false}, {true, true}}) {
        if (limited && zero < 2) continue;
        split.zero           = zero;
        split.overlap        = overlap;
        split.limit_scatters = limited;
        split.bucket         = Bytes(2000);
        SCOPED_TRACE(test::to_string(split));
        const auto results = test::run(test::distribute(module, split), arguments, expected.size());
        for (size_t i = 0; i < results.size(); ++i)
          ASSERT_LE(test::relative_difference(results[i], expected[i]), kTolerance) << "result " << i;
      }
    }
  }
}

// Sums over contexts, over those that share experts, and over replicas are taken in another type, one after the other,
// with or without stages that have the same embedding; the embedding of unequal stages is summed between them.
TEST_P(ZeroBeside, SumsInAnyTypeAreThoseOfTheSequentialProgram) {
  const std::string family = GetParam();
  const ir::Module module  = step_of(family);
  std::mt19937_64 random(20264);
  const auto arguments      = test::random_arguments(module, random, kVocabulary);
  const auto expected       = interpret::evaluate(module, module.functions.size() - 1, arguments);
  std::vector<Split> splits = {{.cp = 2},
                               {.dp = 2, .cp = 2},
                               {.microbatches = 2, .cp = 2},
                               {.dp = 2, .pp = 2, .microbatches = 2, .cp = 2},
                               {.tp = 2, .cp = 2, .sequence = true},
                               {.dp = 2, .pp = 2, .microbatches = 4, .schedule = "dualpipe", .cp = 2},
                               {.dp = 2, .microbatches = 2, .stage_tp = {2, 2}, .stage_cp = {2, 1}}};
  if (family == "moe")
    splits = {{.dp = 2, .ep = 2},          {.dp = 4, .ep = 2},          {.dp = 4, .microbatches = 2, .ep = 2},
              {.dp = 4, .cp = 2, .ep = 4}, {.dp = 2, .cp = 2, .ep = 2}, {.dp = 4, .pp = 2, .microbatches = 2, .ep = 2},
              {.dp = 2, .cp = 4, .ep = 2}};
  for (Split split : splits) {
    for (const auto& [dtype, rounding] :
         {std::pair{ir::DType::f32, kTolerance}, {ir::DType::bf16, 2e-2}, {ir::DType::f16, 4e-3}}) {
      for (const int zero : {0, 1, 2, 3}) {
        const int replicas = split.dp / transform::replicas_in_group(split.cp, split.ep);
        if (replicas == 1 && split.cp == 1 && replicas == split.dp && zero > 0) continue;  // nothing has a copy
        split.zero         = zero;
        split.reduce_dtype = dtype;
        SCOPED_TRACE(test::to_string(split));
        const auto results = test::run(test::distribute(module, split), arguments, expected.size());
        for (size_t i = 0; i < results.size(); ++i)
          ASSERT_LE(test::relative_difference(results[i], expected[i]), rounding) << "result " << i;
      }
    }
  }
}

// A cut inside of a layer leaves a weight on both sides, whose gradient is made on one of them and sent to the other.
TEST(ZeroBesidePipelines, ComputesTheSameNumbersWhereverTheyAreCut) {
  const ir::Module forward = test::family(
      "llama", R"({"layers": 1, "hidden": 8, "heads": 2, "feed_forward": 8, "sequence": 4, "vocabulary": 8})", kBatch,
      Mode::training);
  const ir::Module module = transform::eliminate_dead_code(transform::resolve(
      transform::add_optimizer(transform::differentiate(forward, ops::table()), ops::table(), "sgd")));
  std::mt19937_64 random(20263);
  const auto arguments = test::random_arguments(module, random, 8);
  const auto expected  = interpret::evaluate(module, module.functions.size() - 1, arguments);
  std::vector<transform::Distributed> steps{transform::shard(module, ops::table(), 2, {.sequence = true}), {}, {}};
  transform::Pipeline wanted = test::pipeline(2, 2);
  const int32_t end          = transform::cut(steps[0].module, ops::table(), wanted).stage_ends.back();
  for (int32_t place = 1; place <= end - 2; ++place) {  // the loss, once on each of two devices, is one group
    wanted.stage_ends = {place, end};
    steps[1]          = transform::pipeline(steps[0].module, ops::table(), wanted);
    for (const int zero : {0, 2, 3}) {
      SCOPED_TRACE("cut behind " + std::to_string(place) + " of " + std::to_string(end) +
                   ", zero=" + std::to_string(zero));
      steps[2]           = transform::replicate(steps[1].module, ops::table(), {2, zero, zero == 0, Bytes(2000)});
      const auto results = test::run(steps, arguments, expected.size());
      for (size_t i = 0; i < results.size(); ++i)
        ASSERT_LE(test::relative_difference(results[i], expected[i]), kTolerance) << "result " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Axes, ZeroBeside, testing::Values("gpt", "moe"), [](const auto& info) { return info.param; });

struct Answer {
  Seconds time;
  std::vector<double> peaks;  // by device
};

Answer answer(const ir::Module& module, int replicas, const platform::Platform& platform) {
  const auto interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  const stream::Program program =
      lower::lower_replicas(module, interpretation, test::ideal_roofline(), platform, replicas).program();
  stream::verify(program);
  Answer found{simulate::engines().get("analytic", "test").run(program, platform, {}).makespan, {}};
  for (size_t d = 0; d < program.devices.size(); ++d) {
    found.peaks.push_back(test::memory_of(program, program.devices[d].index).peak);
  }
  return found;
}

TEST(OneReplica, LoweredForAllIsTheProgramOfAll) {
  const ir::Module module           = step_of("gpt");
  const platform::Platform platform = test::cluster({0, 0, 0, 0, 1, 1, 1, 1});
  for (const auto& [tp, pp, microbatches, cp] :
       {std::tuple{1, 1, 1, 1}, {2, 1, 2, 1}, {1, 2, 4, 1}, {1, 1, 1, 2}, {1, 2, 4, 2}, {2, 1, 2, 2}}) {
    for (const int zero : {0, 1, 2, 3}) {
      for (const auto& [overlap, limited] : {std::pair{false, false}, {true, false}, {true, true}}) {
        const Split split{.tp = tp, .pp = pp, .microbatches = microbatches, .cp = cp};
        const ir::Module replica = test::distribute(module, split).back().module;
        transform::DataParallel how{2, zero, overlap, Bytes(2000)};
        how.limit_scatters = limited;
        how.has_copies     = cp > 1;
        SCOPED_TRACE(test::to_string(split) + " zero=" + std::to_string(zero) + (overlap ? " overlapped" : "") +
                     (limited ? " limited" : ""));
        const transform::OneReplica one = transform::one_replica(replica, ops::table(), how);
        const Answer folded             = answer(one.module, 2, platform),
                     written            = answer(transform::replicate(replica, ops::table(), how).module, 1, platform);
        EXPECT_NEAR(folded.time.value(), written.time.value(), 1e-9 * written.time.value());
        ASSERT_EQ(folded.peaks.size(), written.peaks.size());
        // Constants, which are on no device, count on the first of each replica, or on the first of all.
        for (size_t d = 0; d < folded.peaks.size(); ++d)
          EXPECT_NEAR(folded.peaks[d], written.peaks[d], 0.01 * written.peaks[d]) << "device " << d;
      }
    }
  }
}

}  // namespace
}  // namespace foreflow::zero_axes_test
