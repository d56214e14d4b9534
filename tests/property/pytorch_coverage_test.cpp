// Which ops a PyTorch script can say.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iostream>

#include "foreflow/lower/project.h"
#include "foreflow/lower/pytorch.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/simplify.h"
#include "support/distribution.h"

namespace foreflow::pytorch_coverage_test {
namespace {

// Ops that a script cannot say for a reason; the others without an emitter are merely not written yet.
struct Without {
  std::string_view op, reason;
};
constexpr std::array kWithout = {
    Without{"Loop", "has a body, which is a program of its own"},
    Without{"If", "has bodies, which are programs of their own"},
    Without{"Scan", "has a body, which is a program of its own"},
};

TEST(PyTorchEmitters, NameOpsOfTheTable) {
  for (const lower::EmitterDef& row : lower::emitters()) EXPECT_NE(ops::table().find(row.name), nullptr) << row.name;
}

// What programs need to be distributed and trained must be there, whatever the table gains.
TEST(PyTorchEmitters, SayEveryOpThatDistributesOrTrains) {
  size_t covered = 0;
  for (const ir::OpDef& op : ops::table()) {
    const bool has_emitter = lower::emitters().find(op.name) != nullptr;
    const auto reason =
        std::find_if(kWithout.begin(), kWithout.end(), [&](const Without& row) { return row.op == op.name; });
    covered += has_emitter ? 1 : 0;
    EXPECT_FALSE(has_emitter && reason != kWithout.end()) << op.name << " has an emitter; take it off the list";
    EXPECT_TRUE(has_emitter || op.role != ir::Role::communication) << op.name;
    if (!has_emitter)
      std::cout << op.name << ": " << (reason == kWithout.end() ? "not written yet" : reason->reason) << "\n";
  }
  std::cout << covered << " of " << ops::table().size() << " ops have an emitter\n";
  EXPECT_EQ(covered, lower::emitters().size());
  EXPECT_GE(covered, 116U) << "as many as when the table of emitters was written";
}

// Scripts of training and inference programs are written without an error, and name every rank.
TEST(PyTorchEmitters, SayEveryWorkload) {
  const std::map<std::string, std::string> sizes{
      {"mlp", R"({"layers": 2, "hidden": 8})"},
      {"bert", R"({"layers": 2, "hidden": 8, "heads": 2, "sequence": 4, "positions": 4, "vocabulary": 11})"},
      {"gpt", R"({"layers": 2, "hidden": 8, "heads": 2, "sequence": 4, "vocabulary": 11, "dropout": 0.1})"},
      {"llama", R"({"layers": 2, "hidden": 8, "heads": 4, "kv_heads": 2, "sequence": 4, "vocabulary": 11})"},
      {"moe",
       R"({"layers": 2, "hidden": 8, "heads": 4, "kv_heads": 2, "sequence": 4, "vocabulary": 11, "experts": 2, "balance_loss": 0.1})"},
      {"t5", R"({"layers": 2, "hidden": 8, "heads": 2, "sequence": 4, "vocabulary": 11})"}};
  for (const auto& [name, json] : sizes) {
    for (const char* optimizer : {"sgd", "adam"}) {
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
}  // namespace foreflow::pytorch_coverage_test
