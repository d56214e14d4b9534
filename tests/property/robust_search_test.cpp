// Of small questions in disturbed worlds: bounds never exceed the time in any world, and a search that leaves points
// out finds what one that looks at all of them finds.
#include <gtest/gtest.h>

#include "search/bounds/bounds.h"
#include "search/bounds/refine.h"
#include "search/question.h"

namespace foreflow::search::robust_search_test {
namespace {

constexpr size_t kWorlds = 8;  // enough that points are tried in the first of them

const std::vector<std::string> kWorkloads = {
    R"({"model": "mlp", "layers": 8, "hidden": 2048, "dtype": "f16"})",
    R"({"model": "gpt", "layers": 4, "hidden": 256, "heads": 8, "sequence": 32, "vocabulary": 512, "dtype": "f16"})",
    R"({"model": "mlp", "layers": 8, "hidden": 512, "optimizer": "adam"})"};
const std::vector<std::string> kPlatforms    = {R"({"topology": "dgx2"})", R"({"topology": "dgx_a100", "nodes": 2})",
                                                R"({"topology": "p3_8xlarge", "nodes": 2})"};
const std::vector<std::string> kDisturbances = {
    "",  // the default
    R"({"stragglers": {"share": 0.3, "factor": 1.4}})",
    R"({"jitter": {"amplitude": 0.3}, "slowdowns": [{"device": "node0-gpu1", "factor": 0.5}]})",
    R"({"link_loss": {"share": 0.3, "factor": 0.1}, "jitter": {"amplitude": 0.05}})",
};

Json question(size_t number) {
  Json json;
  json.set("workload", parse_json(kWorkloads[number % 3], "draw"));
  json.set("platform", parse_json(kPlatforms[number / 3 % 3], "draw"));
  json.set("engine", "simgrid");
  json.set("strategy", parse_json(R"({"dp": [1, 2, 4], "tp": [1, 2], "pp": [1, 2, 4], "microbatches": [1, 4],
                                      "schedule": ["1f1b", "gpipe"], "global_batch": 64, "recompute": "none",
                                      "zero": 0, "sequence_parallel": false, "overlap_gradients": false,
                                      "overlap_tensor": 1, "vocabulary_parallel": false})",
                                  "draw"));
  json.set("placement", "packed");
  const std::string& text = kDisturbances[number % kDisturbances.size()];
  if (!text.empty()) json.set("disturbances", parse_json(text, "draw"));
  return json;
}

Options in_worlds(Pruning pruning, Risk risk) {
  Options options;
  options.worlds  = kWorlds;
  options.pruning = pruning;
  options.risk    = risk;
  options.top     = 3;
  return options;
}

class RobustSearch : public testing::TestWithParam<size_t> {};

TEST_P(RobustSearch, BoundsHoldInEveryWorld) {
  const Question asked(question(GetParam()), "random.json", in_worlds(Pruning::top, Risk::mean));
  Bounds bounds(1);
  Predictor predictor;
  Refiner refiner(predictor);
  size_t known = 0;
  for (const Json& point : asked.space().points()) {
    const ReadPoint read = asked.read(point);
    if (!read.scenario) continue;
    const auto bound   = bounds.of({&read}).front();
    const auto refined = refiner.refine(read);
    for (uint64_t seed = 1; seed <= kWorlds; ++seed) {
      ReadPoint world                         = read;
      world.scenario->simulation.disturbances = disturbances_of(asked.worlds(), seed, read.platform());
      const Prediction prediction             = predictor.predict(world);
      if (!prediction.predicted) continue;
      EXPECT_LE(asked.least_factor() * bound.time.value(), prediction.time.value()) << point.dump_compact();
      EXPECT_LE(asked.least_factor() * refined.time.value(), prediction.time.value()) << point.dump_compact();
      known += refined.time > Seconds(0) ? 1 : 0;
    }
  }
  EXPECT_GT(known, 0U);
}

// The disturbances take turns of four, so each meets both risks.
TEST_P(RobustSearch, LeavingOutLosesNothing) {
  const Json source   = question(GetParam());
  const Risk risk     = GetParam() / kDisturbances.size() % 2 == 0 ? Risk::mean : Risk::p95;
  const Result full   = search(source, "random.json", in_worlds(Pruning::none, risk));
  const Result pruned = search(source, "random.json", in_worlds(Pruning::top, risk));
  EXPECT_TRUE(pruned.proven);
  EXPECT_EQ(to_json(pruned, 3).find("ranked")->dump(), to_json(full, 3).find("ranked")->dump())
      << source.dump_compact();
}

INSTANTIATE_TEST_SUITE_P(Questions, RobustSearch, testing::Range(size_t{0}, size_t{9}));

}  // namespace
}  // namespace foreflow::search::robust_search_test
