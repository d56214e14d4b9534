// Communication on streams of its own changes when things happen, never what comes out.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/simplify.h"
#include "support/distribution.h"

namespace foreflow::overlap_test {
namespace {

using test::Split;
using workload::Mode;

constexpr int64_t kBatch = 8, kVocabulary = 11;
constexpr double kTolerance = 1e-4;

struct Sequential {
  ir::Module module;
  std::vector<ir::Array> arguments, results;
};

Sequential sequential(const std::string& family) {
  const std::string sizes =
      family == "mlp" ? R"({"layers": 4, "hidden": 8})"
      : family == "t5"
          ? R"({"layers": 2, "hidden": 8, "heads": 4, "head_size": 2, "feed_forward": 12, "sequence": 16, "vocabulary": 11})"
          : R"({"layers": 2, "hidden": 8, "heads": 4, "sequence": 16, "vocabulary": 11})";
  const ir::Module forward = test::family(family, sizes, kBatch, Mode::training);
  const ir::Module step =
      transform::add_optimizer(transform::differentiate(forward, ops::table()), ops::table(), "adam");
  std::mt19937_64 random(20261);
  Sequential made;
  made.module    = transform::eliminate_dead_code(transform::resolve(step));
  made.arguments = test::random_arguments(made.module, random, kVocabulary);
  made.results   = interpret::evaluate(made.module, made.module.functions.size() - 1, made.arguments);
  return made;
}

size_t count_streams(const ir::Module& module, std::string_view stream) {
  size_t count = 0;
  for (const ir::Function& function : module.functions) {
    for (const ir::Op& op : function.ops) {
      if (op.is_call() || op.def->name != "Send") continue;
      count += op.attributes->get_device("to").stream_name() == stream ? 1 : 0;
    }
  }
  return count;
}

size_t count_ops(const ir::Module& module, std::string_view name) {
  size_t count = 0;
  for (const ir::Function& function : module.functions) {
    for (const ir::Op& op : function.ops) count += !op.is_call() && op.def->name == name ? 1 : 0;
  }
  return count;
}

// The steps of rings that begin while nothing was multiplied since the step before.
size_t idle_steps(const ir::Module& module) {
  size_t idle = 0;
  for (const ir::Function& function : module.functions) {
    bool multiplied = true;
    for (const ir::Op& op : function.ops) {
      if (op.is_call()) continue;
      const bool steps = op.def->name == "MPIShift";
      if (steps && !multiplied) ++idle;
      multiplied = !steps && (multiplied || op.def->name == "MatMul" || op.def->name == "FusedMatMul");
    }
  }
  return idle;
}

class Overlap : public testing::TestWithParam<std::string> {};

TEST_P(Overlap, ComputesTheSameNumbers) {
  const Sequential original = sequential(GetParam());
  for (const auto& [dp, tp, pp, microbatches] :
       {std::tuple{1, 2, 1, 1}, {1, 1, 2, 4}, {2, 2, 1, 1}, {1, 2, 2, 2}, {2, 2, 2, 2}, {2, 1, 2, 4}}) {
    for (const int zero : {0, 3}) {
      for (const int chunks : {1, 2}) {
        const Split split{.dp           = dp,
                          .tp           = tp,
                          .pp           = pp,
                          .microbatches = microbatches,
                          .schedule     = "1f1b",
                          .zero         = zero,
                          .overlap      = true,
                          .bucket       = Bytes(200),
                          .sends        = true,
                          .chunks       = chunks};
        SCOPED_TRACE(test::to_string(split));
        const auto steps   = test::distribute(original.module, split);
        const auto results = test::run(steps, original.arguments, original.results.size());
        for (size_t i = 0; i < results.size(); ++i)
          ASSERT_LE(test::relative_difference(results[i], original.results[i]), kTolerance) << "result " << i;
        const ir::Module& module = steps.back().module;
        EXPECT_EQ(count_streams(module, "comm") > 0, dp > 1);
        EXPECT_EQ(count_streams(module, "to_next") > 0, pp > 1);
        EXPECT_EQ(count_streams(module, "from_next") > 0, pp > 1);
        EXPECT_EQ(count_streams(module, "tp") > 0, tp > 1 && chunks > 1);
      }
    }
  }
}

// Two layers whose rows tp devices share: what is gathered goes round a ring, sums part rows of all devices.
TEST(OverlapOfRows, WithSequenceParallelismComputesTheSameNumbers) {
  const Sequential original = sequential("gpt");
  // With two replicas, gradients of weights are exchanged or added up before the sums of others.
  for (const auto& [dp, tp, pp, chunks] :
       {std::tuple{1, 2, 1, 2}, {1, 2, 2, 2}, {1, 4, 1, 4}, {1, 2, 1, 1}, {2, 2, 1, 2}, {2, 4, 1, 2}}) {
    for (const int microbatches : {1, 8 / dp}) {  // the latter of one sample, which cannot be cut along the samples
      Split split{.dp = dp, .tp = tp, .pp = pp, .microbatches = microbatches, .chunks = chunks};
      split.zero     = dp;
      split.overlap  = dp > 1;
      split.sequence = true;
      SCOPED_TRACE(test::to_string(split) + " chunks=" + std::to_string(chunks));
      const auto steps   = test::distribute(original.module, split);
      const auto results = test::run(steps, original.arguments, original.results.size());
      for (size_t i = 0; i < results.size(); ++i)
        ASSERT_LE(test::relative_difference(results[i], original.results[i]), kTolerance) << "result " << i;
      const ir::Module& module = steps.back().module;
      EXPECT_EQ(count_ops(module, "MPIShift") > 0, chunks > 1);
      EXPECT_EQ(dp == 1 ? idle_steps(module) : 0U, 0U);
      EXPECT_EQ(count_streams(module, "tp") > 0, chunks > 1);
    }
  }
}

// All blocks of a decoder read what the encoder made, so its gradient adds up terms of them all, and an exchange of
// weights waits for the gradients of several sums.
TEST(OverlapOfRows, OfCrossAttentionComputesTheSameNumbers) {
  const Sequential original = sequential("t5");
  for (const int pp : {1, 2}) {
    for (const int zero : {0, 2}) {
      for (const double bucket : {0.0, 200.0, 2000.0}) {
        Split split{.dp = 2, .tp = 2, .pp = pp, .microbatches = 2 * pp, .zero = zero, .overlap = true, .chunks = 2};
        split.bucket   = Bytes(bucket);
        split.sequence = true;
        SCOPED_TRACE(test::to_string(split) + " bucket=" + std::to_string(bucket));
        const auto steps   = test::distribute(original.module, split);
        const auto results = test::run(steps, original.arguments, original.results.size());
        for (size_t i = 0; i < results.size(); ++i)
          ASSERT_LE(test::relative_difference(results[i], original.results[i]), kTolerance) << "result " << i;
      }
    }
  }
}

// The ops of this name that the streams of tensor parallelism run.
size_t count_on_stream(const ir::Module& module, std::string_view name) {
  size_t count = 0;
  for (const ir::Function& function : module.functions) {
    std::set<ir::ValueId> on_stream;
    for (const ir::Op& op : function.ops) {
      if (op.is_call()) continue;
      const auto inputs = function.inputs(op);
      const bool sends  = op.def->name == "Send";
      if (sends && op.attributes->get_device("to").stream_name() == "tp")
        on_stream.insert(static_cast<ir::ValueId>(op.first_result));
      const bool reads =
          std::any_of(inputs.begin(), inputs.end(), [&](ir::ValueId id) { return on_stream.contains(id); });
      count += reads && op.def->name == name ? 1 : 0;
    }
  }
  return count;
}

// Every collective of a stage's backward pass runs beside products: what is gathered goes round a ring, what several
// products of x add up to is summed in chunks, and rows of x are gathered beside gradients of other weights.
TEST(OverlapOfRows, OfSplitBackwardPassesComputesTheSameNumbers) {
  for (const std::string family : {"gpt", "llama"}) {
    const Sequential original = sequential(family);
    for (const auto& [schedule, tp] : {std::pair("zb_h1", 2), {"zb_h1", 4}, {"zb_v", 2}}) {
      Split split{.tp = tp, .pp = 2, .microbatches = 8 / tp, .schedule = schedule, .chunks = 2};
      split.sequence = true;
      SCOPED_TRACE(family + " " + test::to_string(split));
      const auto steps   = test::distribute(original.module, split);
      const auto results = test::run(steps, original.arguments, original.results.size());
      for (size_t i = 0; i < results.size(); ++i)
        ASSERT_LE(test::relative_difference(results[i], original.results[i]), kTolerance) << "result " << i;
      const ir::Module& module = steps.back().module;
      EXPECT_EQ(idle_steps(module), 0U);
      for (const std::string name : {"MPIAllgather", "MPIReduceScatter"})
        EXPECT_GT(count_on_stream(module, name), 0U) << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Streams, Overlap, testing::Values("mlp", "gpt"), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace foreflow::overlap_test
