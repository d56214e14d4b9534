// Points of a search that do the same have the same prediction.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "search/question.h"
#include "search/space/placement_forms.h"

namespace foreflow::search::same_predictions_test {
namespace {

// Where sums are of no products, or are parted along the only dimension that is long enough, no chunks are cut.
TEST(Same, PointsAreThoseWithTheSamePrediction) {
  const Json source = parse_json(R"({
    "workload": {"model": "llama", "layers": 4, "hidden": 128, "heads": 8, "kv_heads": 4, "feed_forward": 256,
                 "sequence": 64, "vocabulary": 1024, "dtype": "f16", "mode": "training", "optimizer": "adam"},
    "platform": {"topology": "dgx_a100", "nodes": 2}, "engine": "simgrid", "cost": {"model": "roofline"},
    "strategy": {"dp": 2, "tp": [2, 4], "pp": 2, "global_batch": 16, "microbatches": 4, "schedule": "1f1b",
                 "recompute": ["none", "selective", "op", "full"], "zero": [0, 3], "sequence_parallel": [false, true],
                 "vocabulary_parallel": [false, true], "overlap_gradients": false, "overlap_tensor": [1, 2, 4]},
    "placement": "packed"})",
                                 "same.json");
  Options options;
  options.pruning     = Pruning::none;
  const Result result = search(source, "same.json", options);
  const Question question(source, "same.json", {});
  Predictor predictor;
  const auto predicted = [&](const Json& strategy) {
    const ReadPoint read = question.read(strategy);
    return predictor.predict(read);
  };
  size_t same = 0, cut = 0;
  for (const Candidate& candidate : result.ranked) {
    cut += candidate.strategy.find("overlap_tensor")->dump_compact() != "1" ? 1 : 0;
    for (const Json& other : candidate.same) {
      Json strategy = candidate.strategy;
      for (const auto& [key, value] : *other.if_object()) strategy.set(key, value);
      const Prediction prediction = predicted(strategy);
      EXPECT_NEAR(prediction.time / candidate.iteration_time, 1, 1e-9) << strategy.dump();
      EXPECT_NEAR(prediction.memory / candidate.peak_memory, 1, 1e-9) << strategy.dump();
      ++same;
    }
  }
  EXPECT_EQ(same, result.same);
  EXPECT_GT(same, 0U);
  EXPECT_GT(cut, 0U) << "without sequence parallelism chunks are computed one after the other";
  EXPECT_EQ(result.ranked.size() + result.same + result.refused, result.points);
}

// Around one switch no server differs from others, so orders of the dimensions that fill servers in the same way do the
// same.
TEST(Same, PlacementsOfOneNameHaveTheSamePrediction) {
  size_t alike = 0;
  for (const char* shape : {R"({"dp": 4, "tp": 8, "pp": 2})", R"({"dp": 4, "tp": 4, "pp": 4})",
                            R"({"dp": 8, "tp": 2, "pp": 4})", R"({"dp": 16, "tp": 2, "pp": 2})"}) {
    for (const char* rest : {R"({"engine": "simgrid", "topology": "dgx_a100"})",
                             R"({"engine": "simgrid", "topology": "dgx_a100", "library": "nccl@2.18"})",
                             R"({"engine": "analytic", "topology": "dgx1"})"}) {
      const Json said = parse_json(rest, "rest");
      Json source     = parse_json(R"({
        "workload": {"model": "gpt", "layers": 4, "hidden": 256, "heads": 8, "sequence": 64, "vocabulary": 512,
                     "dtype": "f16", "mode": "training", "optimizer": "adam"},
        "platform": {"nodes": 8}, "cost": {"model": "roofline"},
        "placement": {"order": ["tp-pp-dp", "tp-dp-pp", "pp-tp-dp", "pp-dp-tp", "dp-tp-pp", "dp-pp-tp"]}})",
                                   "placed.json");
      source.set("engine", *said.find("engine")).member("platform").set("topology", *said.find("topology"));
      if (const Json* library = said.find("library")) source.set("collective", Json::object().set("library", *library));
      Json strategy = parse_json(shape, "shape");
      strategy.set("global_batch", 64).set("microbatches", 4).set("schedule", "1f1b").set("zero", 1);
      for (const char* key : {"sequence_parallel", "vocabulary_parallel", "overlap_gradients"}) strategy.set(key, true);
      source.set("strategy", strategy.set("recompute", "none").set("overlap_tensor", 1));
      const Question question(source, "placed.json", {});
      Predictor predictor;
      SamePredictions same(false);
      std::map<std::string, Prediction> known;
      for (const Json& point : question.space().points()) {
        const ReadPoint read        = question.read(point);
        const Prediction prediction = predictor.predict(read);
        const auto [first, fresh]   = known.try_emplace(same.key(read, point.dump_compact()), prediction);
        EXPECT_NEAR(prediction.time / first->second.time, 1, 1e-12) << source.dump_compact() << point.dump_compact();
        EXPECT_EQ(prediction.memory, first->second.memory);
        alike += fresh ? 0 : 1;
      }
    }
  }
  EXPECT_GT(alike, 12U);
}

TEST(Same, PlacementsHaveNamesOfTheirOwnWhereNodesOrWorldsDiffer) {
  const auto names = [](const char* platform, bool disturbed) {
    Json source = parse_json(R"({
      "workload": {"model": "gpt", "layers": 4, "hidden": 64, "heads": 8, "sequence": 32, "vocabulary": 64},
      "strategy": {"dp": 2, "tp": 8, "pp": 4, "global_batch": 64, "microbatches": 4, "schedule": "1f1b", "zero": 0,
                   "sequence_parallel": true, "vocabulary_parallel": true, "overlap_gradients": true,
                   "recompute": "none", "overlap_tensor": 1},
      "placement": {"order": ["tp-pp-dp", "tp-dp-pp"]}})",
                             "placed.json");
    source.set("platform", parse_json(platform, "platform"));
    const Question question(source, "placed.json", {});
    SamePredictions same(disturbed);
    std::set<std::string> all;
    for (const Json& point : question.space().points())
      all.insert(same.key(question.read(point), point.dump_compact()));
    return all.size();
  };
  EXPECT_EQ(names(R"({"topology": "dgx_a100", "nodes": 8})", false), 1U);
  EXPECT_EQ(names(R"({"topology": "dgx_a100", "nodes": 8})", true), 2U);
  EXPECT_EQ(names(R"({"topology": "dgx_a100", "nodes": 8, "fabric": "fat_tree2"})", false), 2U);
  EXPECT_EQ(names(R"({"parts": [{"topology": "dgx_a100", "nodes": 4}, {"topology": "dgx_h100", "nodes": 4}]})", false),
            2U);
}

}  // namespace
}  // namespace foreflow::search::same_predictions_test
