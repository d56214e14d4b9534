// Of random small questions: bounds never exceed what is predicted, and a search that leaves points out finds what one
// that looks at all of them finds.
#include "foreflow/search/search.h"

#include <gtest/gtest.h>

#include "foreflow/collective/library.h"
#include "property/expected_bounds.h"
#include "property/search_questions.h"
#include "support/families.h"

namespace foreflow::search::search_test {
namespace {

class RandomSearch : public testing::TestWithParam<int> {};

std::string first(const Result& result, size_t top) { return to_json(result, top).find("ranked")->dump(); }

TEST_P(RandomSearch, BoundsDoNotExceedWhatIsPredicted) { expect_bounds_hold(small_question(GetParam())); }

// What a library takes depends on sizes and groups, and may be what was measured.
TEST_P(RandomSearch, BoundsDoNotExceedWhatIsPredictedWithALibrary) {
  Json source      = small_question(GetParam());
  const auto names = collective::libraries().names();
  Json chosen      = Json::object().set("library", names[static_cast<size_t>(GetParam()) % names.size()]);
  source.set("collective", std::move(chosen));
  if (GetParam() % 2 == 0) source.set("cost", Json::object().set("model", "calibrated"));
  expect_bounds_hold(source);
}

TEST_P(RandomSearch, LeavingOutLosesNothing) {
  const Json source = small_question(GetParam());
  Options all, top, front;
  all.pruning         = Pruning::none;
  front.pruning       = Pruning::front;
  top.top             = 1 + static_cast<size_t>(GetParam()) % 3;
  front.top           = top.top;
  front.jobs          = 2;
  const Result full   = search(source, "random.json", all);
  const Result pruned = search(source, "random.json", top);
  const Result whole  = search(source, "random.json", front);
  EXPECT_EQ(first(pruned, top.top), first(full, top.top)) << source.dump_compact();
  EXPECT_EQ(first(whole, top.top), first(full, top.top)) << source.dump_compact();
  EXPECT_EQ(to_json(whole, 1).find("pareto")->dump(), to_json(full, 1).find("pareto")->dump()) << source.dump_compact();
  EXPECT_EQ(pruned.points, full.points);
}

class EveryFamily : public testing::TestWithParam<std::string> {};

TEST_P(EveryFamily, BoundsDoNotExceedWhatIsPredicted) {
  const test::Member& member = test::members().at(GetParam());
  Json source                = Json::object();
  Json workload              = parse_json(member.sizes, "sizes");
  workload.set("model", member.family).set("dtype", "f16");
  workload.set("mode", member.mode == workload::Mode::training ? "training" : "inference");
  source.set("workload", workload);
  source.set("platform", parse_json(R"({"topology": "p3_8xlarge", "nodes": 2})", "platform"));
  source.set("engine", "analytic");
  source.set("strategy", parse_json(R"({"global_batch": 8, "dp": [1, 2], "tp": [1, 2], "pp": [1, 2], "microbatches": 2,
                                        "schedule": "1f1b", "zero": [0, 3], "overlap_tensor": 1,
                                        "overlap_gradients": false})",
                                    "strategy"));
  source.set("placement", "packed");
  expect_bounds_hold(source);
}

std::vector<std::string> families() {
  std::vector<std::string> names;
  for (const auto& [name, member] : test::members()) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Families, EveryFamily, testing::ValuesIn(families()),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Questions, RandomSearch, testing::Range(1, 33));

}  // namespace
}  // namespace foreflow::search::search_test
