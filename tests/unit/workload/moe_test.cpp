// The family of decoders with mixtures of experts.
#include <gtest/gtest.h>

#include <cmath>

#include "foreflow/ir/countable.h"
#include "foreflow/ir/unchosen.h"
#include "foreflow/ops/table.h"
#include "foreflow/workload/preset.h"

namespace foreflow::moe_test {
namespace {

workload::Model build(const std::string& sizes) {
  const Json json = parse_json(sizes, "sizes");
  const auto& moe = workload::workloads().get("moe", "test");
  return moe.build(
      {workload::read_key_values(JsonView(json, "sizes"), moe.keys), 1, ir::DType::bf16, workload::Mode::inference},
      ops::table());
}

double parameters(const ir::Module& module) {
  const ir::Function& entry = module.entry();
  double count              = 0;
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    if (entry.parameters[i] == ir::ParameterRole::weight)
      count += static_cast<double>(ir::element_count(entry.values[i].annotation->dims));
  }
  return count;
}

// The attribute of the first op of that name.
int64_t attribute(const ir::Module& module, std::string_view op, std::string_view name) {
  for (const ir::Op& one : module.entry().ops) {
    if (one.def->name == op) return one.attributes->get_int(name);
  }
  return -1;
}

std::string refusal(const std::string& sizes) {
  try {
    build(sizes);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Moe, PresetsMayBeShrunk) {
  const Json sizes =
      workload::with_preset(parse_json(R"({"model": "mixtral-8x7b", "layers": 2, "sequence": 128})", "sizes"));
  const workload::Model model = build(sizes.dump());
  // Per layer: q and o, k and v, three matrices of eight experts, the router and two norms.
  const double h = 4096, layer = 2 * h * h + 2 * h * 1024 + 8 * 3 * h * 14336 + h * 8 + 2 * h;
  EXPECT_EQ(parameters(model.module), 2 * layer + 2 * 32000 * h + h);
  EXPECT_EQ(model.tokens_per_sample, 128);
}

// Qwen3-30B-A3B, whose checkpoint has 30,532,122,624 parameters, 256 a layer of them in norms of queries and keys.
TEST(Moe, HeadsMayBeWiderThanTheirPartOfTheHiddenSize) {
  const workload::Model model = build(
      R"({"layers": 48, "hidden": 2048, "heads": 32, "kv_heads": 4, "head_size": 128, "feed_forward": 768,
          "experts": 128, "top_k": 8, "vocabulary": 151936, "sequence": 64})");
  EXPECT_EQ(parameters(model.module), 30532122624.0 - 48 * 256);
  EXPECT_EQ(refusal(R"({"hidden": 8, "heads": 2, "head_size": 3})"),
            "sizes: $.head_size: makes heads of 3; rotary embeddings need an even size");
}

// An even share of 4 groups of 16 tokens with 2 choices each among 8 experts is 4; the factor 1.3 makes it 5.2.
TEST(Moe, RoundsTheCapacityUp) {
  const std::string sizes = R"("layers": 1, "hidden": 8, "heads": 2, "sequence": 64, "routing_groups": 4)";
  EXPECT_EQ(attribute(build("{" + sizes + R"(, "capacity_factor": 1})").module, "MoeDispatch", "capacity"), 4);
  EXPECT_EQ(attribute(build("{" + sizes + R"(, "capacity_factor": 1.3})").module, "MoeDispatch", "capacity"), 6);
  EXPECT_EQ(attribute(build("{" + sizes + R"(, "capacity_factor": 100})").module, "MoeDispatch", "capacity"), 16);
}

// How many products say it, and the number that they say.
std::pair<int, double> unchosen(const ir::Module& module) {
  std::pair<int, double> found;
  for (const ir::Op& op : module.entry().ops) {
    if (op.attributes->find(ir::kUnchosen) == nullptr) continue;
    found = {found.first + 1, op.attributes->float_or(ir::kUnchosen, 0)};
  }
  return found;
}

TEST(Moe, SaysHowSurelyATokenLeavesAnExpertOut) {
  const std::string sizes = R"({"layers": 3, "dense_layers": 1, "shared_experts": 1, "hidden": 8, "heads": 2, )";
  using Found             = std::pair<int, double>;
  EXPECT_EQ(unchosen(build(sizes + R"("sequence": 64, "phase": "decode"})").module), Found(6, 0.75));
  EXPECT_EQ(unchosen(build(sizes + R"("sequence": 128})").module), Found(0, 0)) << "a prompt chooses all";
  // 8 tokens of a prompt have 3 places at each expert.
  EXPECT_EQ(unchosen(build(sizes + R"("sequence": 8})").module), Found(6, std::pow(0.75, 8.0 / 3)));
  EXPECT_EQ(unchosen(build(sizes + R"("sequence": 8, "top_k": 8, "phase": "decode"})").module), Found(0, 0));
}

TEST(Moe, SaysNothingOfExpertsInTraining) {
  const Json json = parse_json(R"({"layers": 1, "hidden": 8, "heads": 2, "sequence": 4})", "sizes");
  const auto& moe = workload::workloads().get("moe", "test");
  const auto made = moe.build(
      {workload::read_key_values(JsonView(json, "sizes"), moe.keys), 1, ir::DType::bf16, workload::Mode::training},
      ops::table());
  EXPECT_EQ(unchosen(made.module).first, 0);
}

TEST(Moe, RefusesSizesThatDoNotFitTogether) {
  EXPECT_EQ(refusal(R"({"experts": 4, "top_k": 5})"), "sizes: $.top_k: 5 of 4 experts cannot be chosen; use at most 4");
  EXPECT_EQ(refusal(R"({"heads": 12, "kv_heads": 5})"),
            "sizes: $.kv_heads: 5 heads of keys and values do not divide the number of heads 12; use a divisor of it");
  EXPECT_EQ(refusal(R"({"sequence": 10, "routing_groups": 4})"),
            "sizes: $.routing_groups: 4 groups do not divide the sequence length 10; use a divisor of it");
  EXPECT_EQ(refusal(R"({"capacity_factor": 0})"),
            "sizes: $.capacity_factor: is not above 0; use 1 for an even share, or more");
}

}  // namespace
}  // namespace foreflow::moe_test
