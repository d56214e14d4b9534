// Context and expert parallelism compute what the sequential program does, and move the bytes that they should.
#include "foreflow/transform/split_data.h"

#include <gtest/gtest.h>

#include <map>

#include "foreflow/interpret/concrete.h"
#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/pieces.h"
#include "foreflow/transform/simplify.h"
#include "foreflow/transform/tensor.h"
#include "support/distribution.h"

namespace foreflow::split_data_test {
namespace {

using test::Split;
using transform::Distributed;
using workload::Mode;

// As in distribution_test.cpp: the order of summation differs.
constexpr double kTolerance = 1e-4;

constexpr int64_t kBatch = 8, kVocabulary = 11;

// Weights are updated by sgd, so the results are the loss and every new weight.
ir::Module training(const std::string& name, const std::string& sizes, const std::string& optimizer = "sgd") {
  const ir::Module forward  = test::family(name, sizes, kBatch, Mode::training);
  const ir::Module gradient = transform::differentiate(forward, ops::table());
  return transform::eliminate_dead_code(
      transform::resolve(transform::add_optimizer(gradient, ops::table(), optimizer)));
}

struct Model {
  std::string name;
  ir::Module (*build)();
  int heads;    // what tp divides
  int groups;   // what cp divides: positions, or groups of them
  int experts;  // what ep divides
};

const std::vector<Model>& models() {
  static const std::vector<Model> kModels = {
      {"gpt",
       [] { return training("gpt", R"({"layers": 2, "hidden": 16, "heads": 4, "sequence": 8, "vocabulary": 11})"); }, 4,
       8, 1},
      {"moe",
       [] {
         return training(
             "moe",
             R"({"layers": 2, "hidden": 16, "feed_forward": 8, "heads": 4, "kv_heads": 2, "sequence": 8, "vocabulary": 11,
                                    "experts": 4, "capacity_factor": 1, "routing_groups": 4, "shared_experts": 1})");
       },
       2, 4, 4},
      {"moe_adam",
       [] {
         return training("moe",
                         R"({"layers": 2, "hidden": 8, "feed_forward": 4, "heads": 2, "sequence": 8, "vocabulary": 11,
                                    "experts": 8, "top_k": 1, "routing_groups": 8, "normalise_gates": false})",
                         "adam");
       },
       2, 8, 8},
      {"moe_inference",
       [] {
         return transform::resolve(
             test::family("moe", R"({"layers": 2, "hidden": 8, "feed_forward": 4, "heads": 2, "sequence": 4,
             "vocabulary": 11, "experts": 4, "routing_groups": 4})",
                          kBatch, Mode::inference));
       },
       2, 4, 4},
      {"moe_prefill",
       [] {
         return transform::eliminate_dead_code(transform::resolve(
             test::family("moe", R"({"layers": 1, "hidden": 8, "feed_forward": 4, "heads": 2, "sequence": 8,
             "vocabulary": 11, "experts": 4, "routing_groups": 4, "phase": "prefill"})",
                          kBatch, Mode::inference)));
       },
       2, 4, 4},
  };
  return kModels;
}

struct Degrees {
  size_t model;
  int cp, ep;
};

bool has_replicas(int dp, const Degrees& degrees) {
  return degrees.cp * dp <= 16 && dp % transform::replicas_in_group(degrees.cp, degrees.ep) == 0;
}

// Those that divide the model and leave room for some number of replicas.
std::vector<Degrees> all_degrees() {
  std::vector<Degrees> all;
  for (size_t model = 0; model < models().size(); ++model) {
    for (const int cp : {1, 2, 4, 8}) {
      for (const int ep : {1, 2, 4, 8}) {
        const Degrees one{model, cp, ep};
        const bool divides = models()[model].groups % cp == 0 && models()[model].experts % ep == 0;
        if (divides && (has_replicas(1, one) || has_replicas(2, one) || has_replicas(4, one))) all.push_back(one);
      }
    }
  }
  return all;
}

class EveryDataSplit : public testing::TestWithParam<Degrees> {};

TEST_P(EveryDataSplit, ComputesTheSameNumbersOnUpToSixteenDevices) {
  const auto& [number, cp, ep] = GetParam();
  const Model& model           = models()[number];
  std::mt19937_64 random(20261);
  const ir::Module module = model.build();
  const auto arguments    = test::random_arguments(module, random, kVocabulary);
  const auto expected     = interpret::evaluate(module, module.functions.size() - 1, arguments);
  for (const int tp : {1, 2}) {
    for (const int pp : {1, 2}) {
      for (const int dp : {1, 2, 4}) {
        for (const int microbatches : {1, 2}) {
          if (cp * tp * pp * dp > 16 || !has_replicas(dp, GetParam())) continue;
          const Split split{
              .dp = dp, .tp = tp, .pp = pp, .microbatches = microbatches, .schedule = "1f1b", .cp = cp, .ep = ep};
          SCOPED_TRACE(test::to_string(split));
          const std::vector<Distributed> steps = test::distribute(module, split);
          const auto results                   = test::run(steps, arguments, expected.size());
          for (size_t i = 0; i < results.size(); ++i)
            EXPECT_LE(test::relative_difference(results[i], expected[i]), kTolerance) << "result " << i;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(SplitData, EveryDataSplit, testing::ValuesIn(all_degrees()), [](const auto& info) {
  const Degrees& s = info.param;
  return models()[s.model].name + "_cp" + std::to_string(s.cp) + "_ep" + std::to_string(s.ep);
});

// Elements that one rank hands to the messages of each kind.
std::map<std::string, std::vector<int64_t>> messages(const ir::Module& module) {
  const auto interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  const auto& values        = interpretation.entry().values;
  std::map<std::string, std::vector<int64_t>> sizes;
  for (const ir::Op& op : module.entry().ops) {
    const bool message = op.def->role == ir::Role::communication;
    if (message)
      sizes[std::string(op.def->name)].push_back(
          ir::element_count(values[ir::index(module.entry().inputs(op)[0])].type.dims));
  }
  return sizes;
}

// Each layer sends the experts' buffers [e,g,c,h] to the experts and back, and their gradients the other way: four
// exchanges of what a rank's own groups fill. Routing stays where the tokens are.
TEST(SplitData, ExchangesTheBuffersOfItsOwnTokensFourTimesALayer) {
  constexpr int64_t kLayers = 2, kExperts = 4, kHidden = 16, kTokens = 8, kTopK = 2;
  const ir::Module module =
      training("moe", R"({"layers": 2, "hidden": 16, "feed_forward": 8, "heads": 4, "sequence": 8, "vocabulary": 11,
                                                "experts": 4, "top_k": 2, "capacity_factor": 1})");
  for (const int ep : {2, 4}) {
    const auto sent = messages(
        transform::split_data(transform::shard(module, ops::table(), 1).module, ops::table(), ep, {0, true}).module);
    const int64_t mine = kExperts * (kBatch / ep) * (kTopK * kTokens / kExperts) * kHidden;
    EXPECT_EQ(sent.at("MPIAlltoall"), std::vector<int64_t>(4 * kLayers, mine));
    EXPECT_FALSE(sent.contains("MPIAllgather"));
    // Besides the loss one sum for each weight that is no expert's: embedding, head, last norm; per layer two norms,
    // four of attention and the router.
    EXPECT_EQ(sent.at("MPIAllreduce").size(), size_t{1 + 3 + kLayers * 7});
  }
}

// Keys and values are gathered in the forward pass and again in the backward one, and their gradients scattered.
TEST(SplitData, GathersKeysAndValuesOfASequenceTwiceAndScattersTheirGradients) {
  constexpr int64_t kLayers = 2, kHidden = 16, kPositions = 8;
  const ir::Module module =
      training("gpt", R"({"layers": 2, "hidden": 16, "heads": 4, "sequence": 8, "vocabulary": 11})");
  for (const int cp : {2, 4}) {
    const auto sent = messages(
        transform::split_data(transform::shard(module, ops::table(), 1).module, ops::table(), cp, {1, false}).module);
    const int64_t whole = kBatch * kPositions * kHidden;
    std::vector<int64_t> gathered(4 * kLayers, whole / cp);
    gathered.push_back(kPositions / cp * kHidden);  // the gradient of the position table
    EXPECT_EQ(sent.at("MPIAllgather"), gathered);
    EXPECT_EQ(sent.at("MPIReduceScatter"), std::vector<int64_t>(2 * kLayers, whole));
    EXPECT_FALSE(sent.contains("MPIAlltoall"));
  }
}

// The last token of a prompt: each rank gives one row of each sample, whatever the order of the positions.
TEST(SplitData, GathersARowOfEachRankForTheLastTokenOfAPrompt) {
  constexpr int64_t kHidden = 16;
  constexpr int kWays       = 4;
  const ir::Module prefill  = transform::eliminate_dead_code(transform::resolve(test::family(
       "gpt", R"({"layers": 1, "hidden": 16, "heads": 4, "sequence": 8, "vocabulary": 11, "phase": "prefill"})", kBatch,
       Mode::inference)));
  const auto sent           = messages(
                transform::split_data(transform::shard(prefill, ops::table(), 1).module, ops::table(), kWays, {1, false}).module);
  constexpr int64_t kKeys = kBatch * 8 * kHidden / kWays;
  EXPECT_EQ(sent, (std::map<std::string, std::vector<int64_t>>{{"MPIAllgather", {kKeys, kKeys, kBatch * kHidden}}}));
}

// Rows that one of two ranks has are cut before they are gathered; those of several ranks, and all that a rank has, are
// gathered whole.
TEST(SplitData, CutsRowsOfOneRankBeforeItGathersThem) {
  struct Rows {
    int64_t start, end, blocks, sent;
  };
  std::mt19937_64 random(20263);
  for (const auto& [start, end, blocks, sent] :
       {Rows{7, 8, 1, 1}, Rows{-1, 8, 1, 1}, Rows{0, 1, 1, 1}, Rows{1, 4, 1, 3}, Rows{5, 100, 1, 3}, Rows{3, 5, 1, 4},
        Rows{4, 8, 1, 4}, Rows{5, 6, 2, 1}, Rows{6, 8, 2, 2}, Rows{5, 7, 2, 4}}) {
    SCOPED_TRACE("[" + std::to_string(start) + ", " + std::to_string(end) + ") of " + std::to_string(blocks));
    const ir::Module module = ir::parse(
        "func @f(%x: Tensor[Float32, (2, 8, 3), 1]) {\n  %r = Relu(%x)\n  %s = Slice[axes = [1], starts = [" +
            std::to_string(start) + "], ends = [" + std::to_string(end) + "]](%r)\n  %y = Tanh(%s)\n  return %y\n}\n",
        "f", ops::table());
    const std::vector<Distributed> steps = {
        transform::split_data(module, ops::table(), 2, {.dim = 1, .blocks = blocks})};
    EXPECT_EQ(messages(steps[0].module).at("MPIAllgather"), std::vector<int64_t>{2 * sent * 3});
    const auto arguments = test::random_arguments(module, random, kVocabulary);
    const auto expected  = interpret::evaluate(module, 0, arguments);
    EXPECT_EQ(test::relative_difference(test::run(steps, arguments, 1)[0], expected[0]), 0);
  }
}

// A mask and a scale whose sizes an export computes from the data, with few elements, which are known, and with many.
TEST(SplitData, LeavesWholeWhatIsFilledToTheShapeOfTheData) {
  std::mt19937_64 random(20264);
  for (const int positions : {8, 128}) {
    const ir::Module module = transform::resolve(ir::parse(
        "func @f(%x: Tensor[Float32, (2, " + std::to_string(positions) +
            ", 3), 1]) {\n  %s = Shape(%x)\n  %i = Constant[value = Int64(1,)[1]]()\n  %n = Gather[axis = 0](%s, %i)\n"
            "  %nn = Concat[axis = 0](%n, %n)\n  %far = ConstantOfShape[value = Float32(1,)[-9]](%nn)\n"
            "  %mask = Trilu[upper = 1](%far)\n  %t = Transpose[perm = [0, 2, 1]](%x)\n  %xt = MatMul(%x, %t)\n"
            "  %all = Shape(%xt)\n  %half = ConstantOfShape[value = Float32(1,)[0.5]](%all)\n"
            "  %scores = Mul(%xt, %half)\n  %y = Add(%scores, %mask)\n  return %y\n}\n",
        "f", ops::table()));
    const auto arguments    = test::random_arguments(module, random, kVocabulary);
    const auto expected     = interpret::evaluate(module, 0, arguments);
    for (const int32_t dimension : {0, 1}) {
      SCOPED_TRACE(std::to_string(positions) + " positions, dimension " + std::to_string(dimension));
      const std::vector<Distributed> steps = {transform::split_data(module, ops::table(), 2, {.dim = dimension})};
      EXPECT_LT(test::relative_difference(test::run(steps, arguments, 1)[0], expected[0]), kTolerance);
    }
  }
}

TEST(SplitData, SaysWhatItCannotSplit) {
  const ir::Module module =
      training("gpt", R"({"layers": 1, "hidden": 8, "heads": 2, "sequence": 6, "vocabulary": 11})");
  const auto refusal = [&](int ways, const transform::DataSplit& split) -> std::string {
    try {
      transform::split_data(transform::shard(module, ops::table(), 1).module, ops::table(), ways, split);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(4, {1, false}), "gpt: @gpt: 4 ways do not divide dimension 1 of the data, which is 6");
  EXPECT_EQ(refusal(2, {2, false}), "gpt: @gpt: has no data with dimension 2 to split");
  EXPECT_EQ(refusal(2, {0, true}),
            "gpt: @gpt: expert parallelism of 2 finds no experts: no product of a batch of matrices takes a weight");
}

}  // namespace
}  // namespace foreflow::split_data_test
