#include "foreflow/lower/project.h"

#include <gtest/gtest.h>

#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"

namespace foreflow::lower::project_test {
namespace {

std::map<ir::Device, std::string> projected(std::string_view text) {
  const ir::Module module = ir::parse(text, "p.distir", ops::table());
  std::map<ir::Device, std::string> texts;
  for (const auto& [device, program] :
       project(module, interpret::interpret_mixed(module, module.functions.size() - 1), ops::table())) {
    texts[device] = ir::print(program);
  }
  return texts;
}

// Two stages; the second device gets an activation from the first.
TEST(Projection, KeepsTheOpsThatTouchTheDevice) {
  const auto programs = projected(R"(func @dense(%w, %x) {
  %y = MatMul(%x, %w)
  %a = Relu(%y)
  return %a
}

func @two(%w1: Tensor[Float32, (4, 4), 1], %w2: Tensor[Float32, (4, 4), 2], %x: Tensor[Float32, (2, 4), 1]) {
  %a = @dense(%w1, %x)
  %b = Send(%a, 2)
  %c = @dense(%w2, %b)
  return %c
}
)");
  ASSERT_EQ(programs.size(), 2U);
  EXPECT_EQ(programs.at(ir::Device(1)), R"(func @dense(%w: Tensor[Float32, (4, 4), 1], %x: Tensor[Float32, (2, 4), 1]) {
  %y: Tensor[Float32, (2, 4), 1] = MatMul(%x, %w)
  %a: Tensor[Float32, (2, 4), 1] = Relu(%y)
  return %a
}

func @two(%w1: Tensor[Float32, (4, 4), 1], %x: Tensor[Float32, (2, 4), 1]) {
  %a: Tensor[Float32, (2, 4), 1] = @dense(%w1, %x)
  _: Tensor[Float32, (2, 4), 2] = Send[from = [1]](%a, 2)
  return
}
)");
  EXPECT_EQ(programs.at(ir::Device(2)), R"(func @dense(%w: Tensor[Float32, (4, 4), 2], %x: Tensor[Float32, (2, 4), 2]) {
  %y: Tensor[Float32, (2, 4), 2] = MatMul(%x, %w)
  %a: Tensor[Float32, (2, 4), 2] = Relu(%y)
  return %a
}

func @two(%w2: Tensor[Float32, (4, 4), 2]) {
  %b: Tensor[Float32, (2, 4), 2] = Send[from = [1]](_, 2)
  %c: Tensor[Float32, (2, 4), 2] = @dense(%w2, %b)
  return %c
}
)");
}

TEST(Projection, LeavesOutTheOperandsOfOtherMembers) {
  const auto programs = projected(R"(func @sum(%x: Tensor[Float32, (4,), 1], %y: Tensor[Float32, (4,), 2]) {
  %a, %b = MPIAllreduce(%x, %y)
  %c = Relu(%a)
  return %b
}
)");
  EXPECT_EQ(programs.at(ir::Device(1)), R"(func @sum(%x: Tensor[Float32, (4,), 1]) {
  %a: Tensor[Float32, (4,), 1], _: Tensor[Float32, (4,), 2] = MPIAllreduce[from = [1, 2]](%x, _)
  %c: Tensor[Float32, (4,), 1] = Relu(%a)
  return
}
)");
  EXPECT_EQ(programs.at(ir::Device(2)), R"(func @sum(%y: Tensor[Float32, (4,), 2]) {
  _: Tensor[Float32, (4,), 1], %b: Tensor[Float32, (4,), 2] = MPIAllreduce[from = [1, 2]](_, %y)
  return %b
}
)");
}

TEST(Projection, OfAListOfOperandsReadsBackFromItsText) {
  const auto programs = projected(R"(func @sum(%x: Tensor[Float32, (4,), 1], %y: Tensor[Float32, (4,), 2]) {
  %a = MPIReduce([%x, %y], 3)
  return %a
}
)");
  ASSERT_EQ(programs.size(), 3U);
  EXPECT_EQ(programs.at(ir::Device(2)), R"(func @sum(%y: Tensor[Float32, (4,), 2]) {
  _: Tensor[Float32, (4,), 3] = MPIReduce[from = [1, 2]]([_, %y], 3)
  return
}
)");
  for (const auto& [device, text] : programs) EXPECT_EQ(ir::print(ir::parse(text, "p", ops::table())), text);
}

// Device 2 is named inside the function only.
constexpr std::string_view kRoundTrip = R"(func @there_and_back(%x) {
  %a = Send(%x, 2)
  %b = Relu(%a)
  %c = Send(%b, 1)
  return %c
}

func @main(%x: Tensor[Float32, (4,), 1]) {
  %y = @there_and_back(%x)
  return %y
}
)";

TEST(Projection, HasAProgramForADeviceThatOnlyACalleeNames) {
  const auto programs = projected(kRoundTrip);
  ASSERT_EQ(programs.size(), 2U);
  EXPECT_EQ(programs.at(ir::Device(2)), R"(func @there_and_back() {
  %a: Tensor[Float32, (4,), 2] = Send[from = [1]](_, 2)
  %b: Tensor[Float32, (4,), 2] = Relu(%a)
  _: Tensor[Float32, (4,), 1] = Send[from = [2]](%b, 1)
  return
}

func @main() {
  @there_and_back()
  return
}
)");
}

TEST(Projection, MakesProgramsWhoseTypesAreKnown) {
  const auto programs       = projected(R"(func @f(%x: Tensor[Float32, (4,), 1], %n: Tensor[Int64, (2,), 1]) {
  %a = Send(%x, 2)
  %m = Send(%n, 2)
  return %a, %m
}
)");
  const ir::Module received = ir::parse(programs.at(ir::Device(2)), "p.distir", ops::table());
  const auto interpretation = interpret::interpret_mixed(received, 0);
  const auto& values        = interpretation.entry().values;
  ASSERT_EQ(received.entry().values.size(), 2U);
  EXPECT_EQ(ir::to_string(values[0].type), "Tensor[Float32, (4,), 2]");
  EXPECT_EQ(ir::to_string(values[1].type), "Tensor[Int64, (2,), 2]");
}

TEST(Projection, JoinsTheStreamsOfAGpuOnRequest) {
  const ir::Module module   = ir::parse(R"(func @f(%x: Tensor[Float32, (4,), 1]) {
  %a = Relu(%x)
  %b = Send(%a, 1.comm)
  %c = Send(%b, 2)
  return %c
}
)",
                                        "p.distir", ops::table());
  const auto interpretation = interpret::interpret_mixed(module, 0);
  std::vector<std::pair<size_t, size_t>> finished;
  const auto streams = project(module, interpretation, ops::table(), Grain::stream,
                               [&](size_t done, size_t total) { finished.emplace_back(done, total); });
  EXPECT_EQ(streams.size(), 3U);
  EXPECT_EQ(finished, (std::vector<std::pair<size_t, size_t>>{{1, 3}, {2, 3}, {3, 3}}));
  const auto programs = project(module, interpretation, ops::table(), Grain::gpu);
  ASSERT_EQ(programs.size(), 2U);
  EXPECT_EQ(ir::print(programs.at(ir::Device(1))), R"(func @f(%x: Tensor[Float32, (4,), 1]) {
  %a: Tensor[Float32, (4,), 1] = Relu(%x)
  %b: Tensor[Float32, (4,), 1.comm] = Send[from = [1]](%a, 1.comm)
  _: Tensor[Float32, (4,), 2] = Send[from = ["1.comm"]](%b, 2)
  return
}
)");
}

TEST(Projection, OfAProgramOnNoDeviceIsTheProgram) {
  const auto programs = projected("func @f(%x: Tensor[Float32, (4,)]) {\n  %y = Relu(%x)\n  return %y\n}\n");
  ASSERT_EQ(programs.size(), 1U);
  EXPECT_EQ(programs.begin()->second,
            "func @f(%x: Tensor[Float32, (4,)]) {\n  %y: Tensor[Float32, (4,)] = Relu(%x)\n  return %y\n}\n");
}

}  // namespace
}  // namespace foreflow::lower::project_test
