// What the rows of model families state about them, held to what they build.
#include <gtest/gtest.h>

#include <algorithm>

#include "foreflow/base/json.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/workload/workload.h"

namespace foreflow::workload::traits_test {
namespace {

bool has_key(const WorkloadDef& family, std::string_view name) {
  return std::any_of(family.keys.begin(), family.keys.end(), [&](const Key& key) { return key.name == name; });
}

TEST(Traits, OfEveryFamilyAgreeWithItsKeysAndTheOptimizersThatExist) {
  const std::vector<std::string> optimizers = transform::optimizer_names();
  for (const WorkloadDef& family : workloads()) {
    SCOPED_TRACE(family.name);
    const Traits& traits = family.traits;
    EXPECT_NE(std::find(optimizers.begin(), optimizers.end(), traits.optimizer), optimizers.end()) << traits.optimizer;
    EXPECT_EQ(traits.has_experts, has_key(family, "experts"));
    EXPECT_EQ(traits.has_sequence, has_key(family, "sequence"));
    EXPECT_TRUE(!traits.is_transformer || has_key(family, "layers")) << "a transformer is a stack of layers";
    EXPECT_GE(traits.stacks_in_training, 1);
  }
}

// Twice the layers have twice the blocks; each stack of a trained transformer ends its blocks with a Softmax of scores.
TEST(Traits, CountTheStacksThatATrainingStepRunsThrough) {
  const auto softmaxes = [](const WorkloadDef& family, int64_t layers) {
    const Json sizes = Json::object()
                           .set("layers", layers)
                           .set("hidden", int64_t{16})
                           .set("heads", int64_t{2})
                           .set("sequence", int64_t{4})
                           .set("vocabulary", int64_t{8});
    const KeyValues stated = read_key_values(JsonView(sizes, "sizes.json"), family.keys);
    const Model model      = family.build({stated, 2, ir::DType::f32, Mode::training}, ops::table());
    const auto& made       = model.module.entry().ops;
    return std::count_if(made.begin(), made.end(), [](const ir::Op& op) { return op.def->name == "Softmax"; });
  };
  const WorkloadDef &gpt = workloads().get("gpt", "test"), &bert = workloads().get("bert", "test");
  EXPECT_EQ(softmaxes(gpt, 3) - softmaxes(gpt, 2), gpt.traits.stacks_in_training);
  EXPECT_EQ(softmaxes(bert, 3) - softmaxes(bert, 2), bert.traits.stacks_in_training);
  // A layer of the decoder attends to itself and to what the encoder has read.
  const WorkloadDef& t5 = workloads().get("t5", "test");
  EXPECT_EQ(softmaxes(t5, 3) - softmaxes(t5, 2), t5.traits.stacks_in_training + 1);
}

}  // namespace
}  // namespace foreflow::workload::traits_test
