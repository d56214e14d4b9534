#include "foreflow/search/objective.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "foreflow/search/search.h"

namespace foreflow::search::objective_test {
namespace {

const ObjectiveDef& objective(const char* name) { return objectives().get(name, "test"); }

constexpr Terms kTerms{.price = 2, .at_least = 1, .tokens_per_sample = 1000};

// Eight devices at 2 dollars an hour cost 16 / 3600 dollars a second, in which they take 100 x 1000 tokens.
TEST(Objectives, AreWhatTheyAreCalled) {
  const Figures figures{.samples_per_second = 100, .memory = Bytes(5e9), .devices = 8};
  EXPECT_DOUBLE_EQ(objective("throughput").value(figures, kTerms), 100);
  EXPECT_DOUBLE_EQ(objective("memory").value(figures, kTerms), 5e9);
  EXPECT_DOUBLE_EQ(objective("devices").value(figures, kTerms), 8);
  EXPECT_DOUBLE_EQ(objective("cost").value(figures, kTerms), 16.0 / 3600 / (100 * 1000) * 1e6);
  EXPECT_EQ(objective("cost").text(0.04444), "$0.04444 per million tokens");
  EXPECT_EQ(objective("devices").text(1), "1 device");
}

// Values of bounds are bounds of values only because of this.
TEST(Objectives, AreMonotone) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> any(0.1, 10);
  for (const ObjectiveDef& row : objectives()) {
    for (int i = 0; i < 1000; ++i) {
      const Figures worse{any(random), Bytes(any(random)), static_cast<int64_t>(1 + 10 * any(random))};
      const Figures better{worse.samples_per_second * (1 + any(random)), worse.memory / (1 + any(random)),
                           worse.devices};
      const double sign = row.is_maximised ? -1 : 1;
      EXPECT_LE(sign * row.value(better, kTerms), sign * row.value(worse, kTerms)) << row.name;
      EXPECT_LE(row.energy(better, kTerms), row.energy(worse, kTerms)) << row.name;
    }
  }
}

Json question(const std::string& workload) {
  return parse_json(R"({"workload": )" + workload +
                        R"(, "platform": {"topology": "p3_8xlarge", "nodes": [1, 2]}, "engine": "analytic",
                       "strategy": {"global_batch": 16, "microbatches": [1, 4], "schedule": "1f1b", "recompute": "none",
                                    "zero": [0, 1], "overlap_gradients": false, "overlap_tensor": 1, "pp": [1, 2], "tp": [1, 2],
                                    "sequence_parallel": false, "vocabulary_parallel": false}})",
                    "question.json");
}

Json gpt() {
  return question(R"({"model": "gpt", "layers": 2, "hidden": 128, "heads": 4, "sequence": 32, "vocabulary": 512,
                      "dtype": "f16", "mode": "training"})");
}

Goal goal(const char* name, const char* first = "throughput", const char* second = "memory") {
  Goal goal;
  goal.objective = &objective(name);
  goal.front     = {&objective(first), &objective(second)};
  goal.terms     = {.price = std::string(name) == "cost" || std::string(second) == "cost" ? 2.0 : 0, .at_least = 0.001};
  return goal;
}

class ByObjective : public testing::TestWithParam<const char*> {};

TEST_P(ByObjective, RanksWithoutPredictingEveryPoint) {
  Options some, all;
  some.goal = all.goal = goal(GetParam());
  some.top             = 3;
  all.pruning          = Pruning::none;
  const Result full    = search(gpt(), "question.json", all);
  const Result pruned  = search(gpt(), "question.json", some);
  ASSERT_GT(full.ranked.size(), 10U);
  const ObjectiveDef& row = objective(GetParam());
  for (size_t i = 1; i < full.ranked.size(); ++i) {
    const double before = row.value(full.ranked[i - 1].figures(), full.goal.terms);
    const double here   = row.value(full.ranked[i].figures(), full.goal.terms);
    EXPECT_TRUE(row.is_maximised ? before >= here : before <= here) << i;
  }
  EXPECT_TRUE(pruned.proven);
  EXPECT_EQ(to_json(pruned, 3).find("ranked")->dump(), to_json(full, 3).find("ranked")->dump());
}

TEST_P(ByObjective, ReportsAGapThatHolds) {
  const ObjectiveDef& row = objective(GetParam());
  Options options;
  options.goal       = goal(GetParam());
  const Result whole = search(gpt(), "question.json", options);
  const double best  = row.value(whole.ranked.front().figures(), whole.goal.terms);
  options.report     = [&](const Status& status) {
    if (!status.gap) return;
    const double possible = row.is_maximised ? status.best * (1 + *status.gap) : status.best * (1 - *status.gap);
    EXPECT_TRUE(row.is_maximised ? possible * (1 + 1e-12) >= best : possible * (1 - 1e-12) <= best);
  };
  search(gpt(), "question.json", options);
}

INSTANTIATE_TEST_SUITE_P(Objectives, ByObjective, testing::Values("throughput", "cost", "memory", "devices"),
                         [](const auto& info) { return std::string(info.param); });

// No candidate is as good by both objectives and better by one; every other is beaten by one of the front.
TEST(Front, IsOfAnyTwoObjectives) {
  for (const auto& [first, second] : {std::pair("throughput", "memory"), std::pair("throughput", "devices"),
                                      std::pair("memory", "cost"), std::pair("devices", "memory")}) {
    Options whole, pruned;
    whole.goal = pruned.goal = goal("throughput", first, second);
    whole.pruning            = Pruning::none;
    pruned.pruning           = Pruning::front;
    const Result result      = search(gpt(), "question.json", whole);
    const auto penalties     = [&](const Candidate& candidate) {
      std::vector<double> all;
      for (const ObjectiveDef* row : result.goal.front)
        all.push_back((row->is_maximised ? -1 : 1) * row->value(candidate.figures(), result.goal.terms));
      return all;
    };
    const auto as_good = [&](const Candidate& a, const Candidate& b) {
      return penalties(a)[0] <= penalties(b)[0] && penalties(a)[1] <= penalties(b)[1];
    };
    for (const Candidate& one : result.ranked) {
      EXPECT_TRUE(std::any_of(result.pareto.begin(), result.pareto.end(),
                              [&](const Candidate& of_front) { return as_good(of_front, one); }));
    }
    for (const Candidate& of_front : result.pareto) {
      for (const Candidate& one : result.ranked)
        EXPECT_FALSE(as_good(one, of_front) && penalties(one) != penalties(of_front)) << first << second;
    }
    EXPECT_EQ(to_json(search(gpt(), "question.json", pruned), 1).find("pareto")->dump(),
              to_json(result, 1).find("pareto")->dump());
  }
}

TEST(Goals, RefuseStrategiesThatAreTooSlow) {
  Options options;
  options.goal                = goal("devices");
  options.pruning             = Pruning::none;
  options.goal.terms.at_least = 1e9;
  const Result result         = search(gpt(), "question.json", options);
  EXPECT_TRUE(result.ranked.empty());
  EXPECT_EQ(result.reasons.count("is slower than 1e+09 samples/s"), 1U);
}

std::string refusal(const Goal& goal, const Json& question) {
  Options options;
  options.goal = goal;
  try {
    search(question, "question.json", options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Goals, SayWhatTheyLack) {
  Goal cost = goal("cost");
  EXPECT_EQ(
      refusal(cost, question(R"({"model": "mlp", "layers": 4, "hidden": 64})")),
      "question.json: $.workload: has no tokens, which the objective cost counts; take a sequence model, or another "
      "objective");
  cost.terms.price = 0;
  EXPECT_EQ(refusal(cost, gpt()), "--price: the objective cost needs it; give the dollars for an hour of one device");
  Goal devices           = goal("devices");
  devices.terms.at_least = 0;
  EXPECT_EQ(refusal(devices, gpt()),
            "--at-least: the objective devices is for a rate; give the samples per second that are enough");
  EXPECT_EQ(refusal(goal("memory", "memory", "memory"), gpt()), "--pareto: names memory twice; give two objectives");
}

// Two kinds of GPU: each cluster costs what its own devices cost, and so the dearer one may be the cheaper choice.
TEST(Prices, MayDependOnTheKindOfTheDevice) {
  Json source = gpt();
  source.set("platform", parse_json(R"([{"topology": "p3_8xlarge", "nodes": 1}, {"topology": "dgx_a100", "nodes": 1}])",
                                    "platforms"));
  Options options, pruned;
  options.goal             = goal("cost");
  options.goal.terms.price = 0;
  options.goal.prices      = {{"V100", 1.5}, {"A100-SXM4", 4.0}, {"A100", 3.0}};  // the longest name counts
  EXPECT_EQ(refusal(options.goal, source),
            "--price: \"A100\" is the price of no device; the kinds here are A100-SXM4-80GB, V100-SXM2-16GB");
  options.goal.prices.erase("A100");
  options.pruning     = Pruning::none;
  pruned.goal         = options.goal;
  const Result result = search(source, "question.json", options);
  const auto is_dgx   = [](const Candidate& one) { return *one.platform.find("topology")->if_string() == "dgx_a100"; };
  size_t dgx          = 0;
  for (const Candidate& one : result.ranked) {
    const double price = is_dgx(one) ? 4.0 : 1.5;
    dgx += is_dgx(one) ? 1 : 0;
    EXPECT_DOUBLE_EQ(objective("cost").value(one.figures(), result.goal.terms),
                     price * static_cast<double>(one.devices) / 3600 * 1e6 /
                         (one.samples_per_second * static_cast<double>(result.goal.terms.tokens_per_sample)));
  }
  EXPECT_GT(dgx, 0U);
  EXPECT_LT(dgx, result.ranked.size());
  EXPECT_EQ(to_json(search(source, "question.json", pruned), 3).find("ranked")->dump(),
            to_json(result, 3).find("ranked")->dump());
  options.goal.prices.erase("V100");
  EXPECT_EQ(refusal(options.goal, source), "--price: says nothing of V100-SXM2-16GB; add V100-SXM2-16GB=DOLLARS");
}

}  // namespace
}  // namespace foreflow::search::objective_test
