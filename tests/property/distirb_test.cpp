// The binary form of a program says what its text says, for every program.
#include "foreflow/binary/distirb.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "foreflow/base/text.h"
#include "foreflow/ir/text.h"
#include "foreflow/onnx/import.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/pieces.h"
#include "support/distribution.h"
#include "support/lowering.h"
#include "support/random_program.h"
#include "support/shared.h"

namespace foreflow::binary::distirb_test {
namespace {

constexpr uint64_t kPrograms = 300;

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder, const std::string& extension) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == extension) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void expect_round_trip(const ir::Module& module) {
  const std::string bytes = write(module);
  const ir::Module again  = read(bytes, "again", ops::table());
  EXPECT_EQ(ir::print(again), ir::print(module));
  EXPECT_EQ(write(again), bytes);
  const std::string text = ir::print(module);
  EXPECT_EQ(ir::print(read(write(ir::parse(text, "text", ops::table())), "again", ops::table())), text);
}

TEST(Distirb, OfAnyProgramIsReadAsTheSameProgram) {
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    SCOPED_TRACE(seed);
    const ir::Module module = test::random_program(seed);
    const ir::Module again  = read(write(module), "again", ops::table());
    ASSERT_EQ(ir::print(again), ir::print(module));
    ASSERT_EQ(write(again), write(module));
    ASSERT_EQ(again.functions.size(), module.functions.size());
    for (size_t f = 0; f < module.functions.size(); ++f) {
      const ir::Function &one = module.functions[f], &other = again.functions[f];
      ASSERT_EQ(one.operands, other.operands);
      for (size_t o = 0; o < one.ops.size(); ++o) EXPECT_EQ(*one.ops[o].attributes, *other.ops[o].attributes);
    }
  }
}

TEST(Distirb, KeepsEveryShippedProgram) {
  for (const std::string folder : {"workloads", "tests/fuzz/seeds/distir"}) {
    for (const auto& file : files_in(std::filesystem::path(FOREFLOW_SOURCE_DIR) / folder, ".distir")) {
      SCOPED_TRACE(file);
      expect_round_trip(ir::parse(read_file(file), "text", ops::table()));
    }
  }
}

TEST(Distirb, KeepsDistributedFamilies) {
  const ir::Module gpt = test::family(
      "gpt", R"({"layers": 2, "hidden": 8, "heads": 2, "sequence": 4, "vocabulary": 16})", 8, workload::Mode::training);
  expect_round_trip(gpt);
  const ir::Module trained = transform::differentiate(gpt, ops::table());
  const auto steps         = test::distribute(trained, {2, 2, 2, 2, "1f1b"});
  for (const transform::Distributed& step : steps) expect_round_trip(step.module);
}

TEST(Distirb, KeepsImportedModels) {
  for (const auto& file : files_in(std::filesystem::path(FOREFLOW_SOURCE_DIR) / "tests/fuzz/seeds/onnx", ".onnx")) {
    SCOPED_TRACE(file);
    expect_round_trip(onnx::import_model(file, ops::table()).module);
  }
}

// Of those whose ops we have.
TEST(Distirb, KeepsRealModels) {
  FOREFLOW_SHARED_OR_SKIP(folder, "onnx/models");
  int kept = 0;
  for (const auto& file : files_in(folder, ".onnx")) {
    SCOPED_TRACE(file);
    ir::Module module;
    try {
      module = onnx::import_model(file, ops::table(), onnx::Numbers::skip).module;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("not supported"));
      continue;
    }
    expect_round_trip(module);
    ++kept;
  }
  EXPECT_GE(kept, 8);
}

}  // namespace
}  // namespace foreflow::binary::distirb_test
