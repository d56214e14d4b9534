// Collectives of a tensor-parallel program, counted and weighed, and the memory that splitting saves.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/simplify.h"
#include "foreflow/transform/tensor.h"
#include "support/distribution.h"

namespace foreflow::transform::shard_test {
namespace {

constexpr int64_t kBatch = 2, kHidden = 16, kSequence = 8, kVocabulary = 32;
constexpr int64_t kActivation = 4 * kBatch * kSequence * kHidden;  // bytes of b*s*h floats

// Collectives by name; the backward pass begins with the gradient of the loss.
struct Collectives {
  std::map<std::string, int> forward, backward;
  std::map<std::string, int64_t> forward_bytes;  // of the whole tensor that is gathered, scattered or summed
};

ir::Module gpt(int layers) {
  const std::string sizes =
      R"({"layers": )" + std::to_string(layers) + R"(, "hidden": 16, "heads": 8, "sequence": 8, "vocabulary": 32})";
  const ir::Module model = test::family("gpt", sizes, kBatch, workload::Mode::training);
  const ir::Module step  = add_optimizer(differentiate(model, ops::table()), ops::table(), "adam");
  return eliminate_dead_code(resolve(step));
}

Collectives collectives(const ir::Module& module) {
  const auto interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  const auto& values        = interpretation.entry().values;
  const ir::Function& entry = module.entry();
  Collectives found;
  bool backward = false;
  for (const ir::Op& op : entry.ops) {
    backward = backward || op.def->role == ir::Role::loss_gradient;
    if (op.def->role != ir::Role::communication) continue;
    const std::string name(op.def->name);
    ++(backward ? found.backward : found.forward)[name];
    const bool gathers = name == "MPIAllgather";
    if (!backward)
      found.forward_bytes[name] += static_cast<int64_t>(
          ir::bytes_of(values[gathers ? op.first_result : ir::index(entry.inputs(op)[0])].type).value());
  }
  return found;
}

// What one layer more costs.
Collectives of_a_layer(int ways, const Sharding& sharding) {
  const Collectives one = collectives(shard(gpt(1), ops::table(), ways, sharding).module);
  Collectives more      = collectives(shard(gpt(2), ops::table(), ways, sharding).module);
  for (auto& [name, count] : more.forward) count -= one.forward.contains(name) ? one.forward.at(name) : 0;
  for (auto& [name, count] : more.backward) count -= one.backward.contains(name) ? one.backward.at(name) : 0;
  for (auto& [name, bytes] : more.forward_bytes)
    bytes -= one.forward_bytes.contains(name) ? one.forward_bytes.at(name) : 0;
  return more;
}

using Counts  = std::map<std::string, int>;
using Weights = std::map<std::string, int64_t>;

TEST(TensorParallelLayer, AllReducesTwiceForwardAndTwiceBackward) {
  for (const int ways : {2, 4, 8}) {
    const Collectives layer = of_a_layer(ways, {});
    EXPECT_EQ(layer.forward, (Counts{{"MPIAllreduce", 2}}));
    EXPECT_EQ(layer.backward, (Counts{{"MPIAllreduce", 2}}));
    EXPECT_EQ(layer.forward_bytes, (Weights{{"MPIAllreduce", 2 * kActivation}}));
  }
}

// Korthikanti et al., 2022: two of each forward and backward, and two gathers again for the gradients of weights. The
// six sums are those of two normalizations (scale, bias) and two biases, once a step.
TEST(TensorParallelLayer, GathersAndScattersTwiceEachWayAlongTheSequence) {
  for (const int ways : {2, 4, 8}) {
    const Collectives layer = of_a_layer(ways, {.sequence = true});
    EXPECT_EQ(layer.forward, (Counts{{"MPIAllgather", 2}, {"MPIReduceScatter", 2}, {"MPIAllreduce", 0}}));
    EXPECT_EQ(layer.backward, (Counts{{"MPIAllgather", 2 + 2}, {"MPIReduceScatter", 2}, {"MPIAllreduce", 6}}));
    EXPECT_EQ(layer.forward_bytes,
              (Weights{{"MPIAllgather", 2 * kActivation}, {"MPIReduceScatter", 2 * kActivation}, {"MPIAllreduce", 0}}));
  }
}

TEST(VocabularyParallelLoss, SumsThreeNumbersOfEveryTokenInsteadOfGatheringLogits) {
  const Collectives found  = collectives(shard(gpt(0 + 1), ops::table(), 4, {.vocabulary = true}).module);
  const int64_t of_a_token = 4 * kBatch * kSequence;
  EXPECT_EQ(found.forward,
            (Counts{{"MPIAllreduceMax", 1}, {"MPIAllreduce", 2 + 1 + 2}}));  // a layer, the embedding, the loss
  EXPECT_EQ(found.forward_bytes.at("MPIAllreduceMax"), of_a_token);
  EXPECT_EQ(found.forward_bytes.at("MPIAllreduce"), 3 * kActivation + 2 * of_a_token);
  EXPECT_EQ(found.backward, (Counts{{"MPIAllreduce", 2 + 1}}));  // a layer, and the input of the LM head
}

// The types of the parameters of device 1 whose names begin so.
std::map<std::string, std::string> types(const ir::Module& module, const std::string& prefix) {
  std::map<std::string, std::string> found;
  const ir::Function& entry = module.entry();
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    const std::string& name = entry.values[i].name;
    if (name.starts_with(prefix) && name.ends_with(".1")) found[name] = ir::to_string(entry.values[i].annotation->dims);
  }
  return found;
}

TEST(OptimizerState, LiesAsItsWeightDoes) {
  const ir::Module module = shard(gpt(1), ops::table(), 4, {.sequence = true, .vocabulary = true}).module;
  for (const std::string suffix : {"", ".m", ".v"}) {
    EXPECT_EQ(types(module, "h.0.attn.weight" + suffix).at("h.0.attn.weight" + suffix + ".1"), "(16, 12)");
    EXPECT_EQ(types(module, "h.0.proj.weight" + suffix).at("h.0.proj.weight" + suffix + ".1"), "(4, 16)");
    EXPECT_EQ(types(module, "wte" + suffix).at("wte" + suffix + ".1"), "(8, 16)");
    EXPECT_EQ(types(module, "ln_f.weight" + suffix).at("ln_f.weight" + suffix + ".1"), "(16,)");
  }
}

// What backward reads of forward's values, on device 1 and of a layer: everything is divided by the ways, nothing is
// kept gathered.
TEST(SequenceParallelLayer, KeepsOnlyPartsForTheBackwardPass) {
  const auto kept = [](int layers, int ways) {
    const ir::Module module   = shard(gpt(layers), ops::table(), ways, {.sequence = true}).module;
    const auto interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
    const auto& values        = interpretation.entry().values;
    const ir::Function& entry = module.entry();
    const auto loss           = std::find_if(entry.ops.begin(), entry.ops.end(),
                                             [](const ir::Op& op) { return op.def->role == ir::Role::loss_gradient; });
    std::vector<bool> read(entry.values.size());
    for (auto op = loss; op != entry.ops.end(); ++op) {
      for (const ir::ValueId id : entry.inputs(*op)) {
        if (id != ir::ValueId::none) read[ir::index(id)] = true;
      }
    }
    double bytes = 0;
    for (size_t i = entry.parameters.size(); i < loss->first_result; ++i) {
      const ir::Type& type = values[i].type;
      if (read[i] && !values[i].known && (ways == 1 || ir::device_of(type) == ir::Device(1)))
        bytes += ir::bytes_of(type).value();
    }
    return bytes;
  };
  const double whole = kept(2, 1) - kept(1, 1);
  for (const int ways : {2, 4, 8}) EXPECT_EQ(kept(2, ways) - kept(1, ways), whole / ways) << ways;
}

// An exporter that writes equal constants once leaves one vector of zeros for all biases of new layers. It stays whole,
// is cut where the product by columns adds it, and its gradient is gathered; the matrices are split as they are
// without.
TEST(SharedBias, LeavesTheMatricesSplit) {
  const ir::Module model = ir::parse(R"(
func @f(weight %g: Tensor[Float32, (16,)], weight %b: Tensor[Float32, (16,)], weight %up: Tensor[Float32, (16, 16)],
        weight %down: Tensor[Float32, (16, 16)], %x: Tensor[Float32, (4, 16)]) {
  %n = LayerNormalization(%x, %g, %b)
  %u = MatMul(%n, %up)
  %h = Add(%u, %b)
  %r = Relu(%h)
  %d = MatMul(%r, %down)
  %y = Add(%d, %b)
  return %y
})",
                                     "shared", ops::table());
  const ir::Module step  = add_optimizer(differentiate(model, ops::table()), ops::table(), "adam");
  for (const TensorPlan::Kind kind : {TensorPlan::Kind::automatic, TensorPlan::Kind::megatron}) {
    const ir::Module module = shard(step, ops::table(), 2, {.plan = {kind, {}, {}}}).module;
    EXPECT_EQ(types(module, "up").at("up.1"), "(16, 8)");
    EXPECT_EQ(types(module, "down").at("down.1"), "(8, 16)");
    EXPECT_EQ(types(module, "b").at("b.1"), "(16,)");
    const Collectives found = collectives(module);
    EXPECT_EQ(found.forward, (std::map<std::string, int>{{"MPIAllreduce", 1}}));
    EXPECT_EQ(found.backward.at("MPIAllreduce"), 1);
  }
}

// Keys and values of a decoder come from caches, which are split by heads with the weights that fill them.
TEST(Caches, AreSplitByHeadsWithEachPlan) {
  const std::string sizes =
      R"("layers": 1, "hidden": 16, "feed_forward": 8, "heads": 4, "vocabulary": 12, "phase": "decode", "context": 7)";
  const std::vector<std::pair<std::string, std::string>> models = {{"llama", R"(, "kv_heads": 4)"},
                                                                   {"llama", R"(, "kv_heads": 2)"},
                                                                   {"moe", R"(, "kv_heads": 2, "experts": 4)"},
                                                                   {"t5", R"(, "head_size": 4, "sequence": 8)"}};
  for (const auto& [name, more] : models) {
    SCOPED_TRACE(name + more);
    std::string members = "{" + sizes;
    members += more + "}";
    const ir::Module model = resolve(test::family(name, members, kBatch, workload::Mode::inference));
    const auto types_with  = [&](TensorPlan::Kind kind) {
      const ir::Module module = shard(model, ops::table(), 2, {.plan = {kind, {}, {}}}).module;
      std::map<std::string, std::string> found;
      for (const auto& [parameter, type] : types(module, "")) {
        const bool of_attention = parameter.find("attention") != std::string::npos;
        if (of_attention || parameter.find("cross") != std::string::npos ||
            parameter.find("keys") != std::string::npos || parameter.find("values") != std::string::npos)
          found[parameter] = type;
      }
      return found;
    };
    const auto split = types_with(TensorPlan::Kind::megatron);
    EXPECT_EQ(split, types_with(TensorPlan::Kind::automatic));
    const auto keys = std::find_if(split.begin(), split.end(), [](const auto& parameter) {
      return parameter.first.find(".0.keys") != std::string::npos;
    });
    ASSERT_NE(keys, split.end());
    const bool grouped = more.find("\"kv_heads\": 2") != std::string::npos;
    EXPECT_EQ(keys->second, grouped ? "(2, 1, 8, 4)" : "(2, 2, 8, 4)");
  }
}

// One head of keys and values serves all devices, and each device has its own queries.
TEST(Caches, OfFewerHeadsThanDevicesStayWhole) {
  const ir::Module model  = resolve(test::family("llama", R"({"layers": 1, "hidden": 16, "feed_forward": 8, "heads": 4,
    "kv_heads": 1, "vocabulary": 12, "phase": "decode", "context": 7})",
                                                 kBatch, workload::Mode::inference));
  const ir::Module module = shard(model, ops::table(), 2, {.plan = {TensorPlan::Kind::megatron, {}, {}}}).module;
  EXPECT_EQ(types(module, "layers.0.attention.wq").at("layers.0.attention.wq.weight.1"), "(16, 8)");
  EXPECT_EQ(types(module, "layers.0.attention.wk").at("layers.0.attention.wk.weight.1"), "(16, 4)");
  EXPECT_EQ(types(module, "layers.0.keys").at("layers.0.keys.1"), "(2, 1, 8, 4)");
  EXPECT_EQ(types(module, "layers.0.values").at("layers.0.values.1"), "(2, 1, 8, 4)");
}

TEST(ShardErrors, SayWhatWouldBeRight) {
  const auto message = [](int ways, const Sharding& sharding) -> std::string {
    try {
      shard(gpt(1), ops::table(), ways, sharding);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const auto plan = [](const std::string& pattern, int dim) {
    return Sharding{.plan = {TensorPlan::Kind::patterns, {{pattern, dim}}, "plan.json"}};
  };
  EXPECT_EQ(message(2, plan("h.*.atn.weight", 1)),
            "plan.json: \"h.*.atn.weight\" matches no weight; the nearest are h.0.attn.weight, h.0.ln_1.weight or "
            "h.0.ln_2.weight");
  EXPECT_EQ(message(2, plan("wpe", 2)), "plan.json: \"wpe\" splits dimension 2, but %wpe is (8, 16)");
  EXPECT_EQ(message(3, plan("wpe", 1)),
            "plan.json: \"wpe\" splits dimension 1 over 3 devices, which does not divide it: %wpe is (8, 16)");
  EXPECT_NE(message(16, {}).find("use a divisor of the number of heads"), std::string::npos);
  EXPECT_EQ(message(64, {.vocabulary = true}),
            "gpt: @gpt: vocabulary parallelism over 64 devices does not divide the 32 rows of %wte; pad them to 64");
}

// A prefill reads none of the keys and values that it makes for the decoder. They stay with their heads, as those of
// self-attention do, and so do converted ones.
TEST(TensorParallelPrefill, LeavesTheKeysAndValuesOfCrossAttentionWithTheirHeads) {
  for (const std::string cache_dtype : {"f32", "f16"}) {
    const ir::Module prefill = eliminate_dead_code(resolve(test::family(
        "t5",
        R"({"layers": 2, "hidden": 8, "heads": 4, "head_size": 4, "feed_forward": 16, "sequence": 4, "vocabulary": 7,
            "phase": "prefill", "cache_dtype": ")" +
            cache_dtype + "\"}",
        kBatch, workload::Mode::inference)));
    for (const TensorPlan::Kind plan : {TensorPlan::Kind::automatic, TensorPlan::Kind::megatron}) {
      for (const int ways : {2, 4}) {
        SCOPED_TRACE(cache_dtype + " over " + std::to_string(ways) +
                     (plan == TensorPlan::Kind::megatron ? ", megatron" : ""));
        const Distributed split = shard(prefill, ops::table(), ways, {.plan = {plan}});
        const Collectives found = collectives(split.module);
        EXPECT_FALSE(found.forward.contains("MPIAllgather"));
        ASSERT_EQ(split.results.size(), 4 * static_cast<size_t>(ways));
        for (const Piece& piece : split.results) EXPECT_EQ(piece.layout, Layout::split(1));
      }
    }
  }
}

}  // namespace
}  // namespace foreflow::transform::shard_test
