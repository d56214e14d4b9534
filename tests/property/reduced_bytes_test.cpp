// strategy.reduce_dtype beside every axis over which gradients are summed: bytes against closed forms.
//
// Frameworks sum gradients over contexts, and those of what is no expert over all ranks, in the groups of data
// parallelism, so in the same type: Megatron-LM in those of its buffers (DistributedDataParallel takes the groups
// intra_dp_cp and intra_expt_dp), FSDP2 on the mesh dp_shard_cp. Sums of tied embeddings (Megatron-LM's
// _allreduce_word_embedding_grads, DeepSpeed's _exec_reduce_tied_grads) and of norms over shards
// (_allreduce_layernorm_grads; FSDP2 redistributes gradients before it converts them) have the gradient's own type.
#include <gtest/gtest.h>

#include "foreflow/scenario/run.h"

namespace foreflow::reduced_bytes_test {
namespace {

using scenario::Scenario;

constexpr double kLayers = 2, kHidden = 64, kVocabulary = 512, kSequence = 32;

// The gradients of a program as they are, and as they are summed.
struct Types {
  std::string dtype;
  bool float_gradients;
  std::string reduced;

  // Whether one sum is taken over contexts and replicas, for which ZeRO or a type of sums asks.
  bool sums_once(int zero) const { return zero > 0 || reduced != "gradient"; }
  bool converts() const { return reduced != "gradient" && reduced != (float_gradients ? "f32" : dtype); }
  double own() const { return float_gradients || dtype == "f32" ? 4 : 2; }
  double summed() const { return reduced == "gradient" ? own() : reduced == "f32" ? 4 : 2; }
  std::string text() const {
    return dtype + (float_gradients ? " with gradients in f32" : "") + " reduced in " + reduced;
  }
};

std::vector<Types> all_types() {
  std::vector<Types> all;
  for (const std::string reduced : {"gradient", "f32", "bf16", "f16"}) {
    all.push_back({"f32", false, reduced});
    all.push_back({"bf16", false, reduced});
    all.push_back({"bf16", true, reduced});
  }
  return all;
}

struct Axes {
  int dp = 1, cp = 1, ep = 1, pp = 1, tp = 1, zero = 0;
};

report::Summary predicted(const std::string& model, const Axes& axes, const Types& types) {
  std::string text =
      R"({"workload": {"model": ")" + model + R"(", "layers": 2, "hidden": 64, "heads": 4, "sequence": 32,
      "vocabulary": 512, "optimizer": "adam")";
  if (model == "moe") text += R"(, "feed_forward": 32, "experts": 4, "top_k": 1)";
  text += R"(, "dtype": ")" + types.dtype + R"(", "float_gradients": )" + (types.float_gradients ? "true" : "false");
  text += R"(}, "platform": {"topology": "dgx_a100"}, "engine": "analytic", "cost": {"model": "roofline"},
      "strategy": {"global_batch": 16, "context_attention": "ring", "sequence_parallel": true, "reduce_dtype": ")" +
          types.reduced + "\"";
  const auto add = [&](const char* key, int value) {
    text += std::string(", \"") + key + "\": " + std::to_string(value);
  };
  add("dp", axes.dp);
  add("cp", axes.cp);
  add("ep", axes.ep);
  add("pp", axes.pp);
  add("tp", axes.tp);
  add("zero", axes.zero);
  if (axes.pp > 1) add("microbatches", 2);
  return run(scenario::load(parse_json(text + "}}", "reduce.json"), "reduce.json")).summary;
}

// All that travels to sum gradients, without the numbers of the loss. Exchanges of attention and experts are no sums.
double bytes(const report::Summary& summary, bool scatters) {
  double all = 0;
  for (const auto& row : summary.collectives) {
    if (row.kind != "all_reduce" && !(scatters && row.kind == "reduce_scatter")) continue;
    if (row.bytes > Bytes(8)) all += row.bytes.value() * static_cast<double>(row.count);
  }
  return all;
}

std::string to_string(const Axes& axes, const Types& types) {
  return types.text() + ": dp=" + std::to_string(axes.dp) + " cp=" + std::to_string(axes.cp) +
         " ep=" + std::to_string(axes.ep) + " pp=" + std::to_string(axes.pp) + " zero=" + std::to_string(axes.zero);
}

// The sums over contexts and replicas are one: GPT's table of positions is not, of which each context makes the rows of
// its own positions, so that their gradients are gathered over contexts and then summed over replicas.
class ReducedBytes : public testing::TestWithParam<int> {};

// GPT: 12 h^2 + 13 h a layer, V h and s h of the tables, 2 h of the last norm. Contexts have rows of their own of the
// table of positions, so nothing is added up of it; replicas sum all of it. Two stages have the other table both.
TEST_P(ReducedBytes, OfContextsReplicasAndTiedEmbeddings) {
  constexpr double kTable = kVocabulary * kHidden, kPositions = kSequence * kHidden;
  constexpr double kAll = kLayers * (12 * kHidden * kHidden + 13 * kHidden) + kTable + kPositions + 2 * kHidden;
  for (const Types& types : all_types()) {
    for (const int pp : {1, 2}) {
      for (const int cp : {1, 2}) {
        for (const int dp : {1, 2}) {
          const Axes axes{.dp = dp, .cp = cp, .pp = pp, .zero = GetParam()};
          SCOPED_TRACE(to_string(axes, types));
          const double held = kAll + (pp > 1 ? kTable : 0);
          // The first stage has a bias whose gradient the second one makes; where it is converted, contexts sum it
          // there.
          const double apart = pp > 1 && cp > 1 && types.converts() ? kHidden : 0;
          // Parts of gradients are summed in each of two microbatches, but those that are put together first.
          const double again = pp > 1 && axes.zero >= 2 ? kAll - kTable - (cp > 1 ? kPositions + apart : 0) : 0;
          double expected    = 0;
          if (pp > 1) expected += types.own() * dp * cp * kTable;
          if (cp > 1 && types.sums_once(axes.zero)) {
            expected += types.summed() * (held - kPositions - apart + dp * apart + again);
            if (dp > 1) expected += types.summed() * cp * (kPositions + apart);
          } else {
            if (cp > 1) expected += types.summed() * dp * (held - kPositions);
            if (dp > 1) expected += types.summed() * cp * (held + again);
          }
          if (dp == 1 && cp == 1 && axes.zero > 0) continue;  // nothing to split
          EXPECT_DOUBLE_EQ(bytes(predicted("gpt", axes, types), true), expected);
        }
      }
    }
  }
}

// MoE: of a layer 4 h^2 of attention, the router and two norms, and three matrices of each expert; two tables and a
// norm besides. The rest is summed over all ranks, experts over those that have the same ones; where nothing asks for
// one sum, ranks that share experts sum the rest first.
TEST_P(ReducedBytes, OfExpertsAndOfWhatIsNone) {
  constexpr double kExperts = 4, kFeedForward = 32;
  constexpr double kOfExperts = kLayers * kExperts * 3 * kHidden * kFeedForward;
  constexpr double kRest =
      kLayers * (4 * kHidden * kHidden + kHidden * kExperts + 2 * kHidden) + 2 * kVocabulary * kHidden + kHidden;
  for (const Types& types : all_types()) {
    for (const auto& [dp, ep] : {std::pair{2, 2}, {4, 2}, {4, 4}, {4, 1}}) {
      const Axes axes{.dp = dp, .ep = ep, .zero = GetParam()};
      const int copies = dp / ep;
      const bool once  = types.sums_once(axes.zero);
      SCOPED_TRACE(to_string(axes, types));
      double expected = 0;
      if (once) expected += types.summed() * kRest;
      if (!once && ep > 1) expected += types.summed() * copies * kRest;
      if (!once && copies > 1) expected += types.summed() * ep * kRest;
      if (copies > 1) expected += types.summed() * kOfExperts;
      EXPECT_DOUBLE_EQ(bytes(predicted("moe", axes, types), true), expected);
    }
  }
}

// With sequence parallelism each shard has a term of the gradients of norms, of the biases behind products
// and of the table, which all of them have whole.
TEST_P(ReducedBytes, OfNormsOverShardsAreThoseOfTheGradients) {
  if (GetParam() > 0) return;
  for (const Types& types : all_types()) {
    const Axes axes{.dp = 1, .tp = 2};
    const double whole = kLayers * 6 * kHidden + 2 * kHidden + kVocabulary * kHidden;
    EXPECT_DOUBLE_EQ(bytes(predicted("gpt", axes, types), false), types.own() * whole) << types.text();
  }
}

INSTANTIATE_TEST_SUITE_P(Zero, ReducedBytes, testing::Range(0, 4),
                         [](const auto& info) { return "zero" + std::to_string(info.param); });

}  // namespace
}  // namespace foreflow::reduced_bytes_test
