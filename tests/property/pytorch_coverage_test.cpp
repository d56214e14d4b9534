// Which ops a PyTorch script can say.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iostream>

#include "foreflow/lower/project.h"
#include "foreflow/lower/pytorch.h"
#include "foreflow/ops/table.h"
#include "support/distribution.h"

namespace foreflow {
namespace {

// Why an op has no emitter. Others are merely not written yet.
struct Without {
  std::string_view op, reason;
};
constexpr std::array<Without, 0> kWithout = {};

TEST(PyTorchEmitters, NameOpsOfTheTable) {
  for (const lower::EmitterDef& row : lower::emitters()) EXPECT_NE(ops::table().find(row.name), nullptr) << row.name;
}

TEST(PyTorchEmitters, CoverNineTenthsOfTheTableAndTheRestHasAReason) {
  size_t covered = 0;
  for (const ir::OpDef& op : ops::table()) {
    if (lower::emitters().find(op.name) != nullptr) {
      ++covered;
      continue;
    }
    const auto reason =
        std::find_if(kWithout.begin(), kWithout.end(), [&](const Without& row) { return row.op == op.name; });
    std::cout << op.name << ": " << (reason == kWithout.end() ? "no emitter yet" : reason->reason) << "\n";
  }
  std::cout << covered << " of " << ops::table().size() << " ops have an emitter\n";
  EXPECT_GE(static_cast<double>(covered), 0.9 * static_cast<double>(ops::table().size()));
  for (const Without& row : kWithout) EXPECT_EQ(lower::emitters().find(row.op), nullptr) << row.op;
}

// Scripts of training and inference programs are written without an error, and name every rank.
TEST(PyTorchEmitters, SayEveryWorkload) {
  const std::map<std::string, std::string> sizes{
      {"mlp", R"({"layers": 2, "hidden": 8})"},
      {"gpt", R"({"layers": 2, "hidden": 8, "heads": 2, "sequence": 4, "vocabulary": 11})"}};
  for (const auto& [name, json] : sizes) {
    for (const std::string& optimizer : {"sgd", "adam"}) {
      const ir::Module forward = test::family(name, json, 8, workload::Mode::training);
      const ir::Module step =
          transform::add_optimizer(transform::differentiate(forward, ops::table()), ops::table(), optimizer);
      const ir::Module module = test::distribute(transform::eliminate_dead_code(transform::resolve(step)),
                                                 {.dp = 2, .tp = 2, .pp = 2, .microbatches = 2})
                                    .back()
                                    .module;
      const auto programs = lower::project(module, interpret::interpret_mixed(module, module.functions.size() - 1),
                                           ops::table(), lower::Grain::gpu);
      ASSERT_EQ(programs.size(), 8U);
      const std::string script = lower::pytorch_script(programs, name);
      for (const auto& [device, program] : programs) {
        EXPECT_NE(script.find("    ('D" + ir::to_string(device) + "', "), std::string::npos);
      }
    }
  }
}

}  // namespace
}  // namespace foreflow
