// Of random small questions: bounds never exceed what is predicted, and a search that leaves points out finds what one that
// looks at all of them finds.
#include <gtest/gtest.h>

#include <random>

#include "search/bounds.h"
#include "search/question.h"
#include "support/families.h"

namespace foreflow::search {
namespace {

class Draw {
 public:
  explicit Draw(uint64_t seed) : random_(seed) {}

  Json question() {
    Json json;
    json.set("workload", one_of({mlp(), gpt()}));
    json.set("platform", one_of({R"({"topology": "dgx2"})", R"({"topology": "dgx_a100", "nodes": 2})",
                                 R"({"topology": "p3_8xlarge", "nodes": 2})"}));
    json.set("engine", one_of({"\"analytic\"", "\"analytic\"", "\"simgrid\""}));
    json.set("cost", one_of({R"({"model": "roofline"})", R"({"model": "distir"})"}));
    json.set("strategy", strategy());
    return json;
  }

 private:
  Json one_of(const std::vector<std::string>& texts) { return parse_json(texts[random_() % texts.size()], "draw"); }

  std::string mode() {
    return random_() % 3 == 0 ? R"("mode": "inference")" : R"("mode": "training", "optimizer": ")" +
                                                               std::string(random_() % 2 == 0 ? "sgd" : "adam") + "\"";
  }
  std::string mlp() {
    const int wide = 256 << (random_() % 6);
    return R"({"model": "mlp", "layers": 8, "hidden": )" + std::to_string(wide) + R"(, "dtype": "f16", )" + mode() + "}";
  }
  std::string gpt() {
    return R"({"model": "gpt", "layers": 4, "hidden": 256, "heads": 8, "sequence": 32, "vocabulary": 512, "dtype": "f16", )" +
           mode() + "}";
  }

  // Some axes are pinned so that a space stays small.
  Json strategy() {
    Json json = Json::object();
    json.set("global_batch", one_of({"16", "64", "48", "[8, 32]"}));
    json.set("tp", one_of({"[1, 2]", "[2, 4]", "4"}));
    json.set("pp", one_of({"[1, 2]", "[1, 4]", "2"}));
    json.set("dp", one_of({"[1, 2]", "[1, 4]", "2"}));
    json.set("microbatches", one_of({"[1, 4]", "[2, 8]", "4"}));
    json.set("schedule", one_of({R"("1f1b")", R"(["1f1b", "gpipe"])", R"("any")"}));
    if (random_() % 2 == 0) json.set("recompute", "none").set("zero", 0);
    return json;
  }

  std::mt19937_64 random_;
};

class RandomSearch : public testing::TestWithParam<int> {};

std::string first(const Result& result, size_t top) { return to_json(result, top).find("ranked")->dump(); }

void expect_bounds_hold(const Json& source) {
  const Question question(source, "random.json", {});
  std::vector<ReadPoint> points;
  for (const Json& point : question.space().points()) {
    ReadPoint read = question.read(point);
    if (read.scenario) points.push_back(std::move(read));
  }
  std::vector<const scenario::Scenario*> scenarios;
  for (const ReadPoint& point : points) scenarios.push_back(&*point.scenario);
  const std::vector<Bound> bounds = Bounds(*question.platform(), 1).of(scenarios);
  Predictor predictor(question.platform());
  size_t known = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    const Prediction prediction = predictor.predict(*scenarios[i]);
    if (!prediction.predicted) continue;
    EXPECT_LE(bounds[i].time.value(), prediction.time.value()) << points[i].point.dump_compact() << source.dump_compact();
    EXPECT_LE(bounds[i].memory.value(), prediction.memory.value())
        << points[i].point.dump_compact() << source.dump_compact();
    known += bounds[i].time > Seconds(0) && bounds[i].memory > Bytes(0) ? 1 : 0;
  }
  EXPECT_TRUE(points.empty() || known > 0) << source.dump_compact();
}

TEST_P(RandomSearch, BoundsDoNotExceedWhatIsPredicted) {
  expect_bounds_hold(Draw(static_cast<uint64_t>(GetParam())).question());
}

TEST_P(RandomSearch, LeavingOutLosesNothing) {
  const Json source = Draw(static_cast<uint64_t>(GetParam())).question();
  Options all, top, front;
  all.pruning     = Pruning::none;
  front.pruning   = Pruning::front;
  top.top         = 1 + static_cast<size_t>(GetParam()) % 3;
  front.top       = top.top;
  front.jobs      = 2;
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
                                        "schedule": "1f1b", "zero": [0, 3]})",
                                    "strategy"));
  expect_bounds_hold(source);
}

std::vector<std::string> families() {
  std::vector<std::string> names;
  for (const auto& [name, member] : test::members()) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Families, EveryFamily, testing::ValuesIn(families()),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Questions, RandomSearch, testing::Range(1, 17));

}  // namespace
}  // namespace foreflow::search
