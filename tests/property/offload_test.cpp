// A program whose activations wait on the host computes what it computed before, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "foreflow/ir/host_memory.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/overlap.h"
#include "foreflow/transform/pieces.h"
#include "foreflow/transform/recompute.h"
#include "foreflow/transform/replica.h"
#include "foreflow/transform/simplify.h"
#include "support/distribution.h"
#include "support/families.h"

namespace foreflow::offload_test {
namespace {

using test::Split;

ir::Module trained(const test::Member& member, const std::string& recompute, int stages) {
  const ir::OpTable& ops = ops::table();
  const ir::Module model = transform::differentiate(test::built(member, 8), ops);
  const ir::Module step =
      transform::eliminate_dead_code(transform::resolve(transform::add_optimizer(model, ops, "adam")));
  return transform::recompute(step, ops, transform::read_recompute(recompute, "test"), stages);
}

// The last pass of `steps` without replicas, with its activations on the host; then replicas.
std::vector<transform::Distributed> with_offload(const ir::Module& module, Split split) {
  const transform::DataParallel how{split.dp, split.zero, split.overlap, split.bucket};
  const bool sends                          = std::exchange(split.sends, false);
  split.dp                                  = 1;
  std::vector<transform::Distributed> steps = test::distribute(module, split);
  ir::Module& last                          = steps.back().module;
  last                                      = transform::offload(last, ops::table());
  if (how.ways > 1) steps.push_back(transform::replicate(steps.back().module, ops::table(), how));
  if (sends) steps.back().module = transform::overlap_sends(steps.back().module, ops::table());
  return steps;
}

int64_t copies_to_host(const ir::Module& module) {
  int64_t count = 0;
  for (const ir::Function& function : module.functions) {
    count += std::count_if(function.ops.begin(), function.ops.end(), [](const ir::Op& op) {
      return !op.is_call() && op.def->name == "Send" && ir::in_host_memory(op.attributes->get_device("to"));
    });
  }
  return count;
}

struct Case {
  std::string family, recompute;
  Split split;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = [] {
    std::vector<Case> all;
    for (const std::string family : {"bert", "llama", "resnet", "t5", "unet", "vit"}) {
      all.push_back({family, "none", {}});
      all.push_back({family, "none", {1, 2, 1, 1}});
      all.push_back({family, "none", {1, 1, 2, 4, "1f1b"}});
    }
    for (const std::string schedule : {"gpipe", "eager_1f1b", "interleaved_1f1b", "looped_bfs", "zb_h1", "zb_v"})
      all.push_back({"llama", "none", {1, 1, 2, 4, schedule}});
    all.push_back({"llama", "full", {}});
    all.push_back({"llama", "op", {1, 2, 2, 4, "1f1b"}});
    all.push_back({"bert", "full", {1, 2, 2, 4, "1f1b"}});
    all.push_back({"bert", "selective", {2, 2, 2, 2, "1f1b"}});
    all.push_back({"llama", "none", {2, 1, 2, 2, "gpipe", 3}});
    all.push_back({"bert", "none", {2, 1, 1, 1, "1f1b", 2, true, Bytes(1e3)}});
    Split sends{1, 1, 2, 4, "1f1b"};
    sends.sends = true;
    all.push_back({"vit", "none", sends});
    return all;
  }();
  return kCases;
}

class Offloaded : public testing::TestWithParam<size_t> {};

TEST_P(Offloaded, ComputesTheSameNumbers) {
  const auto& [family, recompute, split] = cases()[GetParam()];
  const test::Member& member             = test::members().at(family);
  const ir::Module module                = trained(member, recompute, split.pp);
  std::mt19937_64 random(11);
  const auto arguments = test::random_arguments(module, random, member.below);
  const size_t results = module.entry().results.size();
  const auto steps     = with_offload(module, split);
  EXPECT_GT(copies_to_host(steps.back().module), 0);
  const auto expected = test::run(test::distribute(module, split), arguments, results);
  const auto actual   = test::run(steps, arguments, results);
  for (size_t i = 0; i < results; ++i) EXPECT_EQ(actual[i], expected[i]) << "result " << i;
}

INSTANTIATE_TEST_SUITE_P(Families, Offloaded, testing::Range(size_t{0}, cases().size()), [](const auto& info) {
  const Case& one  = cases()[info.param];
  std::string name = one.family + "_" + one.recompute + "_" + to_string(one.split);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

TEST(Offload, RefusesStagesOnSeveralDevices) {
  const ir::Module module = trained(test::members().at("vit"), "none", 2);
  EXPECT_THROW(with_offload(module, {1, 1, 2, 4, "chimera"}), Error);
}

TEST(Offload, RefusesAProgramWithoutABackwardPass) {
  const test::Member& member = test::members().at("gpt_prefill");
  EXPECT_THROW(transform::offload(test::built(member, 4), ops::table()), Error);
}

}  // namespace
}  // namespace foreflow::offload_test
