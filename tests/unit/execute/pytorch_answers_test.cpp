#include "execute/pytorch_answers.h"

#include <gmock/gmock.h>

#include "foreflow/base/error.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"

namespace foreflow::execute::pytorch_answers_test {
namespace {

using testing::HasSubstr;

// D1 multiplies, sends, and D2 receives.
Programs two_processes() {
  const ir::Module module = ir::parse(R"(func @main(%w: Tensor[Float32, (4, 4), 1], %x: Tensor[Float32, (2, 4), 1]) {
  %y = MatMul(%x, %w)
  %z = Send(%y, 2)
  %r = Relu(%z)
  return %r
}
)",
                                      "two.distir", ops::table());
  return plan(module, {ir::Array(ir::DType::f32, {4, 4}), ir::Array(ir::DType::f32, {2, 4})});
}

// Two iterations, of 10 s and 20 s. In the first, D1 sends from 3 to 5 and D2 waits for it from 1 to 5.5.
constexpr const char* kLog = R"({"ranks": [
  {"iterations": [[0, 10], [20, 40]], "signatures": ["MatMul(f32[2x4] f32[4x4]) -> f32[2x4]", "Send f32[2,4]"],
   "ops": [[0, 1, 3], [1, 3, 5], [0, 21, 24], [1, 24, 25]]},
  {"iterations": [[0, 10], [20, 40]], "signatures": ["Send", "Relu(f32[2x4]) -> f32[2x4]"],
   "ops": [[0, 1, 5.5], [1, 6, 7], [0, 24.5, 24.75], [1, 26, 29]]}]})";

TEST(PyTorchAnswers, TakeTheTimeOfTheLastMemberToArriveAndCallTheRestWait) {
  const Programs programs = two_processes();
  const Answers answers   = answers_of(parse_log(kLog, "log.json"), programs);
  ASSERT_EQ(answers.answers.size(), 2U);
  const auto& iterations = answers.answers[1].iterations;
  ASSERT_EQ(iterations.size(), 2U);
  EXPECT_EQ(iterations[0].total, Seconds(10));
  EXPECT_EQ(iterations[0].communication, Seconds(2));  // that of D1
  EXPECT_EQ(iterations[0].wait, Seconds(2.5));
  EXPECT_EQ(iterations[0].compute, Seconds(1));
  EXPECT_EQ(iterations[1].communication, Seconds(0.25));
  EXPECT_EQ(answers.answers[0].iterations[0].wait, Seconds(0));
  EXPECT_EQ(answers.answers[0].iterations[1].wait, Seconds(0.75));
}

TEST(PyTorchAnswers, GiveMeasurementsWithTheWorkOfTheProgram) {
  const Programs programs   = two_processes();
  const Execution execution = assemble({ir::parse(R"(func @main(%x) {
  return %x
}
)",
                                                  "any.distir", ops::table()),
                                        {}},
                                       programs, answers_of(parse_log(kLog, "log.json"), programs).answers);
  ASSERT_EQ(execution.measurements.size(), 3U);
  const cost::Measurement& product = execution.measurements[0];
  EXPECT_EQ(product.signature, "MatMul(f32[2x4] f32[4x4]) -> f32[2x4]");
  EXPECT_EQ(product.flops, Flops(2 * 2 * 4 * 4));
  EXPECT_EQ(product.count, 2);
  EXPECT_EQ(product.time, Seconds(2.5));
  EXPECT_EQ(product.fastest, Seconds(2));
  const cost::Measurement& message = execution.measurements[2];
  EXPECT_EQ(message.signature, "Send 32 B over 2");
  EXPECT_EQ(message.time, Seconds((2 + 0.25) / 2));
  EXPECT_EQ(execution.iterations, (std::vector<Seconds>{Seconds(10), Seconds(20)}));
}

TEST(PyTorchAnswers, NameWhatTheLastIterationDid) {
  const Answers answers = answers_of(parse_log(kLog, "log.json"), two_processes());
  ASSERT_EQ(answers.timeline.size(), 4U);
  EXPECT_EQ(answers.timeline[1].what, "Send 32 B over 2");
  EXPECT_TRUE(answers.timeline[1].communicates);
  EXPECT_EQ(answers.timeline[1].start, Seconds(4));
  EXPECT_EQ(answers.timeline[3].rank, 1);
  EXPECT_EQ(answers.timeline[3].what, "Relu(f32[2x4]) -> f32[2x4]");
}

TEST(PyTorchLog, ThatIsDamagedIsRefusedWithThePlace) {
  const auto refusal = [](const std::string& text) {
    try {
      parse_log(text, "log.json");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("read");
  };
  EXPECT_THAT(refusal("{}"), HasSubstr("ranks"));
  EXPECT_THAT(refusal(R"({"ranks": [{"signatures": [], "iterations": [[1]], "ops": []}]})"),
              HasSubstr("$.ranks[0].iterations[0]: is a list of two times"));
  EXPECT_THAT(refusal(R"({"ranks": [{"signatures": [], "iterations": [[0, 1]], "ops": [[0, 0, 1]]}]})"),
              HasSubstr("is no number of a signature"));
  EXPECT_THAT(refusal(R"({"ranks": [{"signatures": ["Relu"], "iterations": [[0, 1]], "ops": [[0, 2, 3]]}]})"),
              HasSubstr("is in no iteration"));
}

}  // namespace
}  // namespace foreflow::execute::pytorch_answers_test
