#include "foreflow/transform/optimizers.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "support/distribution.h"

namespace foreflow::transform {
namespace {

// Where an optimizer has an op for all weights and keeps nothing, that op stands once; else its own once a weight.
TEST(Optimizers, AreWrittenWithTheOpsOfTheirRows) {
  const ir::Module forward = test::family("mlp", R"({"layers": 2, "hidden": 8})", 4, workload::Mode::training);
  const ir::Module model   = differentiate(forward, ops::table());
  for (const OptimizerDef& row : optimizers()) {
    const ir::Module step      = add_optimizer(model, ops::table(), row.name);
    const bool joint           = row.states.empty() && !row.joint_op.empty();
    const std::string_view own = joint ? row.joint_op : row.op;
    const auto& written        = step.entry().ops;
    EXPECT_EQ(std::count_if(written.begin(), written.end(), [&](const ir::Op& op) { return op.def->name == own; }),
              joint ? 1 : 2)
        << row.name;
    EXPECT_EQ(step.entry().parameters.size(), model.entry().parameters.size() + 2 * row.states.size()) << row.name;
  }
}

TEST(Optimizers, NameOpsThatThereAre) {
  for (const OptimizerDef& row : optimizers()) {
    EXPECT_NE(ops::table().find(row.op), nullptr) << row.name;
    if (!row.joint_op.empty()) {
      EXPECT_NE(ops::table().find(row.joint_op), nullptr) << row.name;
    }
  }
}

}  // namespace
}  // namespace foreflow::transform
