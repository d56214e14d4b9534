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

// In disturbed worlds the bound counts slow devices: whatever is drawn, no strategy is judged by less, and where the
// slow device decides the bound is close.
void expect_bounds_in_worlds(const Json& source, double share) {
  for (const Risk risk : {Risk::mean, Risk::p95}) {
    Options options;
    options.worlds = 3;
    options.risk   = risk;
    const Question question(source, "worlds.json", options);
    Predictor predictor(question.worlds());
    Refiner refiner(predictor);
    size_t known = 0;
    for (const Json& point : question.space().points()) {
      const ReadPoint read = question.read(point);
      if (!read.scenario) continue;
      const Prediction prediction = judged(predictor.predict(read), risk);
      if (!prediction.spread) continue;
      const double ratio = question.least_factor() * refiner.refine(read).time / prediction.time;
      EXPECT_LE(ratio, 1) << point.dump_compact();
      EXPECT_GT(ratio, share) << point.dump_compact();
      ++known;
    }
    EXPECT_GT(known, 0U) << source.find("strategy")->dump_compact();
  }
}

TEST(BoundsInWorlds, CountSlowDevicesOfDisturbedWorlds) {
  Json source = parse_json(R"({
    "workload": {"model": "llama", "layers": 8, "hidden": 4096, "heads": 32, "kv_heads": 8, "feed_forward": 8192,
                 "sequence": 2048, "vocabulary": 32000, "dtype": "bf16", "mode": "training", "optimizer": "adam"},
    "platform": {"topology": "dgx_h100", "nodes": 2}, "engine": "simgrid", "cost": {"model": "roofline"},
    "disturbances": {"stragglers": {"share": 0.15, "factor": 1.5}},
    "strategy": {"tp": [1, 2], "pp": [1, 2], "global_batch": 64, "microbatches": 4, "zero": [0, 3],
                 "overlap_gradients": true, "overlap_tensor": 1, "recompute": "none", "schedule": "1f1b"},
    "placement": {"order": "tp-pp-dp"}})",
                           "worlds.json");
  expect_bounds_in_worlds(source, 0.8);
  source.member("strategy")
      .set("tp", int64_t{4})
      .set("overlap_tensor", parse_json("[1, 2, 4]", "chunks"))
      .set("sequence_parallel", parse_json("[false, true]", "sequence"))
      .set("vocabulary_parallel", parse_json("[false, true]", "vocabulary"));
  expect_bounds_in_worlds(source, 0.75);
  source.member("strategy")
      .set("pp", int64_t{2})
      .set("overlap_tensor", parse_json("[1, 2]", "chunks"))
      .set("schedule", parse_json(R"(["interleaved_1f1b", "zb_v", "chimera"])", "schedules"));
  expect_bounds_in_worlds(source, 0.6);
  source.set("disturbances", parse_json(R"({"stragglers": {"share": 0.15, "factor": 1.5}, "jitter": {"amplitude": 0.05},
                                            "link_loss": {"share": 0.05, "factor": 0.5}})",
                                        "all"));
  source.set("workload", parse_json(R"({"model": "gpt", "layers": 8, "hidden": 4096, "heads": 32, "sequence": 2048,
                                        "vocabulary": 51200, "dtype": "bf16", "mode": "training"})",
                                    "tied"));
  expect_bounds_in_worlds(source, 0.4);
}

INSTANTIATE_TEST_SUITE_P(Questions, RobustSearch, testing::Range(size_t{0}, size_t{9}));

}  // namespace
}  // namespace foreflow::search::robust_search_test
