// The programs that ship in workloads/ are correct as they stand.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "foreflow/base/text.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "support/lowering.h"
#include "support/machine.h"

namespace foreflow::workloads_test {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(FOREFLOW_SOURCE_DIR) / "workloads";

std::vector<std::string> programs() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".distir") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool all_typed(const ir::Function& function) {
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    if (function.values[i].annotation == nullptr || !function.values[i].annotation->resolved()) return false;
  }
  return true;
}

class ShippedProgram : public testing::TestWithParam<std::string> {};

TEST_P(ShippedProgram, ParsesAndLowers) {
  const std::string path = (kFolder / (GetParam() + ".distir")).string();
  ir::Module module;
  ASSERT_NO_THROW(module = ir::parse(read_file(path), path, ops::table()));
  EXPECT_EQ(module.entry().name, GetParam());
  EXPECT_TRUE(ir::same_program(ir::parse(ir::print(module), path, ops::table()), module));
  ASSERT_TRUE(all_typed(module.entry()));
  const auto interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  EXPECT_EQ(interpret::unresolved(module, interpretation), std::vector<std::string>());
  const auto platform = test::star(8, BytesPerSecond(1e9), Seconds(1e-6));
  const auto lowered  = test::lowered(module, platform);
  EXPECT_NO_THROW(stream::verify(lowered.program()));
  EXPECT_FALSE(lowered.program().computes.empty());
}

INSTANTIATE_TEST_SUITE_P(Workloads, ShippedProgram, testing::ValuesIn(programs()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace foreflow::workloads_test
