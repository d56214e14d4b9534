// A scenario whose model has a tensor that is too large to be counted is refused at the number that makes it so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foreflow/scenario/run.h"

namespace foreflow::scenario::too_large_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string refusal_of(const std::string& workload, const std::string& strategy = "") {
  const std::string text =
      R"({"workload": {"layers": 2, "hidden": 64, "heads": 4, "vocabulary": 1000, "dtype": "bf16", )" + workload +
      R"(}, "platform": {"topology": "dgx_a100"}, "strategy": {)" + strategy + "}}";
  try {
    build(load(parse_json(text, "large.json"), "large.json"));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(TooLarge, NamesTheNumberOfTheScenarioAndTheTensor) {
  const std::string said = refusal_of(R"("model": "gpt", "sequence": 1000000000)");
  EXPECT_THAT(said, StartsWith("large.json: $.workload.sequence: 1000000000 is too large: gpt: @gpt: "));
  EXPECT_THAT(said, HasSubstr("has more than 2^56 elements"));
}

TEST(TooLarge, NamesItInModelsThatAreImported) {
  EXPECT_THAT(refusal_of(R"("model": "gpt", "mode": "inference", "sequence": 1000000000)"),
              StartsWith("large.json: $.workload.sequence: 1000000000 is too large: gpt: initializer "));
}

TEST(TooLarge, NamesTheBatchWhereThatIsGreater) {
  EXPECT_THAT(refusal_of(R"("model": "gpt", "sequence": 100000)", R"("global_batch": 1000000000)"),
              StartsWith("large.json: $.strategy.global_batch: 1000000000 is too large: "));
}

TEST(TooLarge, IsNoMatterOfLargeNumbersThatFit) {
  EXPECT_EQ(refusal_of(R"("model": "gpt", "sequence": 100000)"), "accepted");
}

}  // namespace
}  // namespace foreflow::scenario::too_large_test
