// Attention over sequences that ranks share, in a ring or by heads, computes what the sequential program does, sends
// what its papers say, and holds less of the keys than gathering them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "foreflow/base/nth.h"
#include "foreflow/interpret/concrete.h"
#include "foreflow/interpret/mixed.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/overlap.h"
#include "foreflow/transform/pieces.h"
#include "foreflow/transform/recompute.h"
#include "foreflow/transform/replica.h"
#include "foreflow/transform/simplify.h"
#include "foreflow/transform/split_data.h"
#include "foreflow/transform/tensor.h"
#include "support/distribution.h"

namespace foreflow::ring_attention_test {
namespace {

using test::Split;
using transform::ContextAttention;
using transform::Distributed;
using workload::Mode;

// As in distribution_test.cpp: the order of summation differs.
constexpr double kTolerance = 1e-4;

constexpr int64_t kBatch = 4, kTokens = 2;  // of which BERT has two types

// Weights are updated by sgd, so the results are the loss and every new weight.
ir::Module trained(const ir::Module& forward) {
  const ir::Module gradient = transform::differentiate(forward, ops::table());
  return transform::eliminate_dead_code(transform::resolve(transform::add_optimizer(gradient, ops::table(), "sgd")));
}

struct Family {
  const char* name;
  const char* workload;
  const char* sizes;
  Mode mode = Mode::training;

  ir::Module forward() const { return transform::resolve(test::family(workload, sizes, kBatch, mode)); }
  ir::Module ready(const ir::Module& model) const {
    return mode == Mode::training ? trained(model) : transform::eliminate_dead_code(model);
  }
};

const std::vector<Family>& families() {
  static const std::vector<Family> kFamilies = {
      {"gpt", "gpt", R"({"layers": 2, "hidden": 16, "heads": 8, "sequence": 8, "vocabulary": 11})"},
      {"bert", "bert", R"({"layers": 1, "hidden": 16, "heads": 8, "sequence": 8, "vocabulary": 11})"},
      {"llama", "llama",
       R"({"layers": 2, "hidden": 32, "feed_forward": 8, "heads": 16, "kv_heads": 8, "sequence": 8, "vocabulary": 11})"},
      {"t5", "t5", R"({"layers": 1, "hidden": 16, "heads": 8, "sequence": 8, "vocabulary": 11})"},
      {"llama_inference", "llama",
       R"({"layers": 1, "hidden": 32, "feed_forward": 8, "heads": 16, "kv_heads": 8, "sequence": 8, "vocabulary": 11})",
       Mode::inference},
      {"llama_prefill", "llama",
       R"({"layers": 2, "hidden": 32, "feed_forward": 8, "heads": 16, "kv_heads": 8, "sequence": 8, "vocabulary": 11,
           "phase": "prefill"})",
       Mode::inference},
  };
  return kFamilies;
}

std::vector<Distributed> distribute(const ir::Module& module, const Split& split, ContextAttention attention,
                                    int64_t blocks = 1) {
  std::vector<Distributed> steps;
  steps.push_back(transform::shard(module, ops::table(), split.tp, {.sequence = blocks > 1}));
  for (const transform::DataSplitStep& step : transform::data_split_steps(split.cp, 1, blocks, attention))
    steps.push_back(transform::split_data(steps.back().module, ops::table(), step.ways, step.split));
  if (split.pp > 1 || split.microbatches > 1)
    steps.push_back(
        transform::pipeline(steps.back().module, ops::table(), test::pipeline(split.pp, split.microbatches)));
  if (split.dp > 1) steps.push_back(transform::replicate(steps.back().module, ops::table(), {.ways = split.dp}));
  return steps;
}

struct Case {
  size_t family;
  ContextAttention attention;
};

const std::map<ContextAttention, std::string>& names() {
  static const std::map<ContextAttention, std::string> kNames = {
      {ContextAttention::all_gather, "all_gather"},
      {ContextAttention::striped_all_gather, "striped_all_gather"},
      {ContextAttention::ring, "ring"},
      {ContextAttention::striped_ring, "striped_ring"},
      {ContextAttention::all_to_all, "all_to_all"}};
  return kNames;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (size_t family = 0; family < families().size(); ++family) {
    for (const auto& [attention, name] : names()) all.push_back({family, attention});
  }
  return all;
}

class EveryContextAttention : public testing::TestWithParam<Case> {
 protected:
  const Family& family() const { return families()[GetParam().family]; }
};

TEST_P(EveryContextAttention, ComputesTheSameNumbersOnUpToSixteenDevices) {
  std::mt19937_64 random(20262);
  const ir::Module model = family().forward(), plain = family().ready(model);
  const ir::Module fused = family().ready(transform::fuse_attention(model, ops::table()));
  const auto arguments   = test::random_arguments(plain, random, kTokens);
  const auto expected    = interpret::evaluate(plain, plain.functions.size() - 1, arguments);
  const auto check       = [&](const std::vector<Distributed>& steps) {
    const auto results = test::run(steps, arguments, expected.size());
    for (size_t i = 0; i < results.size(); ++i)
      EXPECT_LE(test::relative_difference(results[i], expected[i]), kTolerance) << "result " << i;
  };
  for (const Split& split : {Split{.cp = 2}, Split{.cp = 4}, Split{.microbatches = 2, .cp = 4}, Split{.tp = 2, .cp = 4},
                             Split{.pp = 2, .microbatches = 2, .cp = 2}, Split{.dp = 2, .cp = 2},
                             Split{.dp = 2, .tp = 2, .pp = 2, .microbatches = 2, .cp = 2}}) {
    if (family().mode == Mode::inference && split.pp > 1) continue;
    for (const int64_t blocks : {1, split.tp}) {
      SCOPED_TRACE(test::to_string(split) + (blocks > 1 ? " sequence" : ""));
      std::vector<Distributed> steps = distribute(fused, split, GetParam().attention, blocks);
      check(steps);
      steps.back().module = transform::overlap_ring(steps.back().module, ops::table());
      check(steps);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, EveryContextAttention, testing::ValuesIn(cases()), [](const auto& info) {
  return std::string(families()[info.param.family].name) + "_" + names().at(info.param.attention);
});

// How many messages of each kind one rank takes part in.
std::map<std::string, int> messages(const ir::Module& module) {
  std::map<std::string, int> counts;
  for (const ir::Op& op : module.entry().ops) {
    if (op.def->role == ir::Role::communication) ++counts[std::string(op.def->name)];
  }
  return counts;
}

ir::Module split_gpt(int cp, ContextAttention attention) {
  const Family& gpt      = families()[0];
  const ir::Module fused = gpt.ready(transform::fuse_attention(gpt.forward(), ops::table()));
  return distribute(fused, {.cp = cp}, attention).back().module;
}

// Keys and values travel n - 1 hops forward and again backward, where the sums of their gradients travel n: home.
TEST(ContextAttention, SendsBlocksRoundTheRingAsOftenAsThereAreOtherRanks) {
  constexpr int kLayers = 2;
  for (const int cp : {2, 4, 8}) {
    const auto counts = messages(split_gpt(cp, ContextAttention::ring));
    EXPECT_EQ(counts.at("MPIShift"), kLayers * 2 * (2 * (cp - 1) + cp));
    EXPECT_FALSE(counts.contains("MPIReduceScatter"));
    EXPECT_EQ(counts.at("MPIAllgather"), 1);  // the gradient of the position table
  }
}

// q, k and v to heads, the result back; in the backward pass its gradient to heads, and three back.
TEST(ContextAttention, ExchangesHeadsForPositionsEightTimesALayer) {
  constexpr int kLayers = 2;
  EXPECT_EQ(messages(split_gpt(4, ContextAttention::all_to_all)).at("MPIAlltoall"), 8 * kLayers);
}

// Every exchange of heads for positions or back: how many elements a rank has, and how often.
std::map<int64_t, int> exchanged_elements(const ir::Module& module) {
  const auto interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  const auto& values        = interpretation.entry().values;
  std::map<int64_t, int> counts;
  for (const ir::Op& op : module.entry().ops) {
    if (op.def->name == "MPIAlltoall")
      ++counts[ir::element_count(values[ir::index(module.entry().inputs(op)[0])].type.dims)];
  }
  return counts;
}

// Messages of which no rank reads or returns what it receives.
int unread_messages(const ir::Module& module) {
  const ir::Function& entry = module.entry();
  std::vector<bool> read(entry.values.size());
  for (const ir::Op& op : entry.ops) {
    for (const ir::ValueId id : entry.inputs(op)) {
      if (id != ir::ValueId::none) read[ir::index(id)] = true;
    }
  }
  for (const ir::ValueId id : entry.results) read[ir::index(id)] = true;
  return static_cast<int>(std::count_if(entry.ops.begin(), entry.ops.end(), [&](const ir::Op& op) {
    const auto first = read.begin() + op.first_result;
    return op.def->role == ir::Role::communication &&
           std::find(first, first + op.result_count, true) == first + op.result_count;
  }));
}

ir::Module split_llama(const std::string& more, Mode mode, int cp) {
  const Family llama{
      "llama", "llama",
      R"({"layers": 2, "hidden": 32, "feed_forward": 8, "heads": 16, "kv_heads": 8, "sequence": 8, "vocabulary": 11)",
      mode};
  const ir::Module forward = transform::resolve(test::family(llama.workload, llama.sizes + more + "}", kBatch, mode));
  const ir::Module fused   = llama.ready(transform::fuse_attention(forward, ops::table()));
  return distribute(fused, {.cp = cp}, ContextAttention::all_to_all).back().module;
}

// Queries and results have all heads, keys and values half as many. What follows the attention is split by positions,
// so that no hidden states are gathered or reduce-scattered.
TEST(ContextAttention, ExchangesNoMoreThanHeadsForPositions) {
  constexpr int kLayers = 2, kWays = 4;
  constexpr int64_t kQueries = kBatch * 8 * 32 / kWays, kKeys = kQueries / 2;
  const ir::Module training = split_llama("", Mode::training, kWays);
  // q, o, do and dq; k, v, dk and dv.
  EXPECT_EQ(exchanged_elements(training), (std::map<int64_t, int>{{kQueries, 4 * kLayers}, {kKeys, 4 * kLayers}}));
  EXPECT_FALSE(messages(training).contains("MPIReduceScatter"));
  EXPECT_FALSE(messages(training).contains("MPIAllgather"));
  EXPECT_EQ(unread_messages(training), 0);
  const ir::Module prefill = split_llama(R"(, "phase": "prefill")", Mode::inference, kWays);
  EXPECT_EQ(exchanged_elements(prefill), (std::map<int64_t, int>{{kQueries, 2 * kLayers}, {kKeys, 2 * kLayers}}));
  EXPECT_FALSE(messages(prefill).contains("MPIReduceScatter"));
  EXPECT_EQ(unread_messages(prefill), 0);
}

// Of n contiguous blocks the last rank sees all and the first only its own; dealt out one by one, ranks differ by
// diagonals.
TEST(ContextAttention, StripesLevelTheWorkOfCausalRanks) {
  constexpr int kWays = 4;
  const auto flops    = [](ContextAttention attention) {
    const ir::Module module   = split_gpt(kWays, attention);
    const auto interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
    const auto& values        = interpretation.entry().values;
    std::vector<double> sums(kWays);
    for (const ir::Op& op : module.entry().ops) {
      if (op.def->name != "BlockAttention") continue;
      std::vector<ir::Type> inputs, outputs;
      for (const ir::ValueId id : module.entry().inputs(op)) inputs.push_back(values[ir::index(id)].type);
      for (uint32_t i = 0; i < op.result_count; ++i) outputs.push_back(values[op.first_result + i].type);
      const std::vector<const ir::Array*> known(inputs.size(), nullptr);
      const ir::Work work = op.def->work({*op.def, *op.attributes, inputs, known, op.result_count}, outputs);
      nth(sums, inputs[0].device.index - 1) += work.flops.value();
    }
    return sums;
  };
  // Pairs that see each other, of 4 blocks of 2 positions: 3 within a block, 4 with each block before it.
  const std::vector<double> contiguous = flops(ContextAttention::ring), striped = flops(ContextAttention::striped_ring);
  for (size_t way = 0; way < kWays; ++way) {
    EXPECT_DOUBLE_EQ(contiguous[way] / contiguous[0], (3 + 4 * static_cast<double>(way)) / 3);
    // One diagonal of its own and of each rank before it, which those behind it lack.
    EXPECT_DOUBLE_EQ(striped[way] / striped[0],
                     (3 * (static_cast<double>(way) + 1) + (3 - static_cast<double>(way))) / 6);
  }
}

// A block drops the same probabilities in its backward pass as in its forward pass.
TEST(ContextAttention, DropsTheSameForwardAndBackward) {
  const ir::Module dropped = transform::resolve(
      test::family("gpt", R"({"layers": 2, "hidden": 8, "heads": 2, "sequence": 8, "vocabulary": 11, "dropout": 0.1})",
                   kBatch, Mode::training));
  const ir::Module fused = trained(transform::fuse_attention(dropped, ops::table()));
  for (const auto attention : {ContextAttention::all_gather, ContextAttention::ring, ContextAttention::all_to_all}) {
    const ir::Module module = distribute(fused, {.cp = 2}, attention).back().module;
    std::map<std::pair<std::string, int64_t>, int> blocks;  // by pass and seed
    for (const ir::Op& op : module.entry().ops) {
      if (!op.def->name.starts_with("BlockAttention")) continue;
      EXPECT_FLOAT_EQ(op.attributes->float_or("dropout", 0), 0.1);
      ++blocks[{std::string(op.def->name), op.attributes->int_or("seed", 0)}];
    }
    EXPECT_EQ(blocks.size(), 4);  // two layers, two passes
    for (const auto& [key, count] : blocks)
      EXPECT_EQ(count, (blocks[{"BlockAttentionGrad", key.second}])) << key.first << " " << key.second;
  }
}

// The gradient of the fused core makes its scores again in any case.
TEST(ContextAttention, NeedsNoSelectiveRecomputation) {
  const Family& gpt      = families()[0];
  const ir::Module fused = gpt.ready(transform::fuse_attention(gpt.forward(), ops::table()));
  const ir::Module again = transform::recompute(fused, ops::table(), {transform::Recompute::Kind::selective});
  EXPECT_EQ(again.entry().ops.size(), fused.entry().ops.size());
}

TEST(ContextAttention, SaysWhatItCannotShare) {
  const auto refusal = [](const auto& pass) -> std::string {
    try {
      pass();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const ir::Module mlp = test::family("mlp", "{}", kBatch, Mode::training);
  EXPECT_NE(refusal([&] { transform::fuse_attention(mlp, ops::table()); }).find("has no attention core"),
            std::string::npos);
  const ir::Module two_heads = trained(transform::fuse_attention(
      transform::resolve(test::family(
          "gpt", R"({"layers": 1, "hidden": 8, "heads": 2, "sequence": 8, "vocabulary": 11})", kBatch, Mode::training)),
      ops::table()));
  EXPECT_EQ(
      refusal([&] { distribute(two_heads, {.cp = 4}, ContextAttention::all_to_all); }),
      "split_data: all_to_all gives each of 4 ways whole heads of keys and values, of which there are 2; use ring or "
      "all_gather, or a "
      "divisor of it");
}

}  // namespace
}  // namespace foreflow::ring_attention_test
