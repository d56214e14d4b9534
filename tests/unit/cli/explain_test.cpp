// The terms that `explain` tells.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foreflow/base/json.h"
#include "foreflow/base/text.h"
#include "support/command.h"
#include "support/temporary.h"

namespace foreflow::explain_test {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Answer {
  std::string text, simulated;
  Json json;
};

Answer explained(const std::string& overlaps, const std::string& more = "") {
  const test::TemporaryFolder folder;
  write_file(folder / "s.json",
             R"({"workload": {"model": "gpt", "layers": 4, "hidden": 2048, "heads": 8, "sequence": 1024,
                                                 "vocabulary": 512, "dtype": "bf16", "mode": "training"},
                                    "engine": "analytic", "platform": {"topology": "dgx_a100"},
                                    "strategy": {"dp": 2, "global_batch": 8, "overlap_gradients": )" +
                 overlaps + more + "}}");
  const auto ask = [&](const std::vector<std::string>& arguments) {
    return test::run_foreflow(arguments, folder.path()).out;
  };
  return {ask({"explain", "s.json"}), ask({"simulate", "s.json"}),
          parse_json(ask({"explain", "s.json", "--json", "-"}), "stdout")};
}

double number_of(const Json& json, std::string_view key) { return JsonView(json, "stdout").at(key).as_number(); }

TEST(Explain, TermsLessWhatIsHiddenAddUpToTheIteration) {
  // Shards of `tp` meet while replicas gather the next weights: one device takes part in several messages at a time.
  const std::string none, several = R"(, "tp": 4, "zero": 3)";
  for (const auto& [overlaps, more] : {std::pair("true", none), {"false", none}, {"true", several}}) {
    const Answer answer = explained(overlaps, more);
    double sum          = 0;
    for (const JsonView& term : JsonView(answer.json, "stdout").at("terms").items())
      sum += term.at("seconds").as_number();
    const double iteration = number_of(answer.json, "iteration_time_s");
    EXPECT_NEAR(sum - number_of(answer.json, "hidden_communication_s"), iteration, 1e-9 * iteration)
        << overlaps << more;
  }
}

TEST(Explain, SaysAsSimulateHowMuchOfTheCommunicationIsHidden) {
  const std::string words = " of the communication is hidden behind compute";
  const Answer hidden     = explained("true");
  const size_t end        = hidden.simulated.find(words);
  ASSERT_NE(end, std::string::npos) << hidden.simulated;
  const size_t begin = hidden.simulated.rfind('\n', end);
  EXPECT_THAT(hidden.text, HasSubstr(hidden.simulated.substr(begin, end - begin) + words + ": "));
  EXPECT_GT(number_of(hidden.json, "hidden_communication_s"), 0);
  EXPECT_THAT(explained("false").text, Not(HasSubstr(words)));
}

// Jobs that inherit a part of the scenario get what the framework sets there; a job with a strategy of its own gets
// settings of its own.
TEST(Explain, ListsTheSettingsThatEachJobHasForItself) {
  const test::TemporaryFolder folder;
  const auto keys_of = [&](const std::string& jobs) {
    write_file(folder / "jobs.json",
               R"({"framework": "ddp", "engine": "analytic", "platform": {"topology": "dgx_a100"},
                   "workload": {"model": "gpt", "layers": 1, "hidden": 64, "heads": 4, "sequence": 16,
                                "vocabulary": 64, "dtype": "bf16"},
                   "strategy": {"dp": 2, "global_batch": 4}, "jobs": )" +
                   jobs + "}");
    const std::string out = test::run_foreflow({"explain", "jobs.json", "--json", "-"}, folder.path()).out;
    const Json json       = parse_json(out, "stdout");
    std::vector<std::string> keys;
    for (const JsonView& setting : JsonView(json, "stdout").at("settings").items())
      keys.push_back(setting.at("key").as_string());
    return keys;
  };
  const std::string own    = R"({"strategy": {"dp": 4, "global_batch": 8}})";
  const std::string around = "strategy.bucket_size", of_first = "jobs[0].strategy.bucket_size",
                    of_second = "jobs[1].strategy.bucket_size";
  using testing::Contains;
  EXPECT_THAT(keys_of("[{}, {}]"), testing::AllOf(Contains(around), Not(Contains(of_first)), Not(Contains(of_second))));
  EXPECT_THAT(keys_of("[{}, " + own + "]"),
              testing::AllOf(Contains(around), Not(Contains(of_first)), Contains(of_second), Contains("host.kernel")));
  EXPECT_THAT(keys_of("[" + own + ", " + own + "]"),
              testing::AllOf(Not(Contains(around)), Contains(of_first), Contains(of_second), Contains("host.kernel")))
      << "no job has the strategy around them";
}

}  // namespace
}  // namespace foreflow::explain_test
