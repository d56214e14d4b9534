// f1 calls f0 twice, f2 calls f1 twice, and so on: a page of text for 2^60 ops. Every command works on the functions,
// or says that there are too many ops to go through one by one.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foreflow/base/text.h"
#include "support/command.h"
#include "support/temporary.h"

namespace foreflow {
namespace {

using test::CommandResult;
using testing::HasSubstr;
using testing::StartsWith;

// %y = x + x at the bottom, so that no two calls have equal numbers.
std::string doubling(int levels) {
  std::string text = "func @f0(%x) {\n  %y = Add(%x, %x)\n  return %y\n}\n";
  for (int i = 1; i <= levels; ++i) {
    text += fmt::format("\nfunc @f{0}({2}) {{\n  %a = @f{1}(%x)\n  %b = @f{1}(%a)\n  return %b\n}}\n", i, i - 1,
                        i == levels ? "%x: Tensor[Float32, (4,), 1]" : "%x");
  }
  return text;
}

class CallsThatDouble : public ::testing::Test {
 protected:
  CallsThatDouble() {
    write_file(folder_ / "p.distir", doubling(60));
    write_file(folder_ / "s.json",
               R"({"workload": {"distir": "p.distir"}, "platform": {"topology": "dgx1"}, "engine": "analytic"})");
  }
  CommandResult run(const std::vector<std::string>& words) const {
    return test::run_foreflow_under({.cpu_seconds = 20}, words, folder_.path());
  }
  const test::TemporaryFolder folder_;
};

TEST_F(CallsThatDouble, AreCheckedAndInferredByFunction) {
  const CommandResult checked = run({"check", "p.distir"});
  EXPECT_EQ(checked.out, "p.distir: ok, 61 functions, 121 ops, on 1 device\n") << checked.err;
  EXPECT_EQ(run({"infer", "p.distir"}).exit_code, 0);
  EXPECT_EQ(run({"lower", "p.distir", "-o", "ranks"}).exit_code, 0);
  EXPECT_EQ(run({"lower", "p.distir", "-o", "script", "--target", "pytorch"}).exit_code, 0);
}

TEST_F(CallsThatDouble, AreTooManyToGoThroughOneByOne) {
  for (const auto& words : std::vector<std::vector<std::string>>{{"analyze", "p.distir"},
                                                                 {"transform", "p.distir", "--pass", "inline"},
                                                                 {"simulate", "s.json"},
                                                                 {"lower", "s.json", "-o", "streams"},
                                                                 {"execute", "p.distir", "--ranks", "mpi"}}) {
    const CommandResult result = run(words);
    EXPECT_EQ(result.exit_code, 1) << words.front();
    EXPECT_THAT(result.err, StartsWith("foreflow: error: ")) << words.front();
    EXPECT_THAT(result.err, HasSubstr("p.distir")) << words.front();
  }
  EXPECT_THAT(run({"analyze", "p.distir"}).err,
              HasSubstr("comes to 3.15e+06 ops with those of its calls; an analysis op by op is possible up to 2e+06"));
}

TEST_F(CallsThatDouble, AreLeftAsTheyAreByOtherPasses) {
  for (const char* pass : {"resolve", "eliminate_dead_code", "eliminate_common_subexpressions", "differentiate",
                           "join_slices", "lift_constants", "outline", "replicate(dp=2)", "add_loss"}) {
    const CommandResult result = run({"transform", "p.distir", "--pass", pass, "-o", "out.distir"});
    EXPECT_LE(result.exit_code, 1) << pass << ": " << result.err;
    EXPECT_TRUE(result.exit_code == 0 || result.err.starts_with("foreflow: error: ")) << pass;
  }
}

// Functions that call each other in a long row must not exhaust the stack.
TEST_F(CallsThatDouble, MayBeDeep) {
  std::string text = "func @f0(%x: Tensor[Float32, (4,)]) {\n  %y = Relu(%x)\n  return %y\n}\n";
  for (int i = 1; i <= 30000; ++i)
    text += fmt::format("\nfunc @f{}(%x: Tensor[Float32, (4,)]) {{\n  %y = @f{}(%x)\n  return %y\n}}\n", i, i - 1);
  write_file(folder_ / "deep.distir", text);
  for (const char* command : {"check", "infer", "analyze", "execute"}) {
    const CommandResult result = run({command, "deep.distir"});
    EXPECT_LE(result.exit_code, 1) << command << ": " << result.err;
  }
}

}  // namespace
}  // namespace foreflow
