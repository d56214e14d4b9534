// Predictions in a store: what they belong to, and what is said of a file that is no such store or is damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"
#include "foreflow/search/search.h"
#include "foreflow/sweep/sweep.h"
#include "store/database.h"
#include "support/temporary.h"

namespace foreflow::search::kept_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Json question(const std::string& strategy, const std::string& more = "") {
  return parse_json(R"({"workload": {"model": "mlp", "layers": 4, "hidden": 64}, "platform": {"topology": "dgx2"},
                        "engine": "analytic", "strategy": )" +
                        strategy + more + "}",
                    "mlp.json");
}

const char* const kStrategy =
    R"({"dp": [1, 2, 4], "tp": [1, 2], "pp": 1, "global_batch": 64, "recompute": "none", "overlap_gradients": false,
                                 "overlap_tensor": 1})";

class KeptPredictions : public testing::Test {
 protected:
  Result searched(const Json& source, Options options = {}) {
    options.store = path_;
    if (options.version.empty()) options.version = "1.2.3";
    options.begun = [this](size_t predictions) { found_ = predictions; };
    return search(source, folder_ / "mlp.json", options);
  }
  std::string complaint(const Json& source, const Options& options = {}) {
    try {
      searched(source, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }

  const test::TemporaryFolder folder_;
  const std::string path_ = folder_ / "s.sqlite";
  size_t found_           = 0;
};

TEST_F(KeptPredictions, AreReadAndNotMadeAgain) {
  const Json source  = question(kStrategy);
  const Result first = searched(source);
  EXPECT_EQ(found_, 0U);
  EXPECT_EQ(first.reused, 0U);
  EXPECT_GT(first.evaluated, 0U);
  const Result again = searched(source);
  EXPECT_GE(found_, first.evaluated);
  EXPECT_EQ(again.reused, again.evaluated);
  EXPECT_EQ(to_json(again, 10).dump(), to_json(first, 10).dump());
  EXPECT_EQ(to_json(again, 10).dump(), to_json(search(source, "mlp.json", {}), 10).dump());
}

// The strategy is no part of the question: its points have names of their own.
TEST_F(KeptPredictions, ServeSearchesOfOtherStrategiesAndMethods) {
  constexpr const char* kCost = R"(, "cost": {"model": "roofline"})";  // bounds leave few points out
  const size_t all            = searched(question(kStrategy, kCost)).evaluated;
  const Result fewer          = searched(question(
               R"({"global_batch": 64, "tp": [1, 2], "dp": [2, 4], "pp": 1, "microbatches": 1, "recompute": "none", "overlap_gradients": false,
                                "overlap_tensor": 1})",
               kCost));
  EXPECT_EQ(fewer.reused, fewer.evaluated);
  Options beam;
  beam.method         = &methods().get("beam", "method");
  const Result others = searched(question(kStrategy, kCost), beam);
  EXPECT_GT(others.reused, 0U);
  EXPECT_LE(all, searched(question(kStrategy, kCost)).reused);
}

TEST_F(KeptPredictions, BelongToOneScenarioEngineAndVersion) {
  const Json source = question(kStrategy, R"(, "cost": {"model": "c.json"})");
  write_file(folder_ / "c.json", R"({"model": "roofline"})");
  searched(source);
  EXPECT_EQ(complaint(source), "none");
  Options newer;
  newer.version = "1.2.4";
  EXPECT_EQ(
      complaint(source, newer),
      path_ + ": holds a search by foreflow 1.2.3, this is 1.2.4; give another --store, or remove it to start anew");
  Options engine;
  engine.engine = &simulate::engines().get("simgrid", "engine");
  EXPECT_THAT(complaint(source, engine), StartsWith(path_ + ": holds a search of another scenario ("));
  Json larger = source;
  larger.member("workload").set("layers", 3);
  EXPECT_THAT(complaint(larger), HasSubstr("holds a search of another scenario"));
  write_file(folder_ / "c.json", R"({"model": "distir"})");
  EXPECT_THAT(complaint(source), HasSubstr("holds a search of another scenario"));
}

TEST_F(KeptPredictions, AreNoSweepAndNoOtherFile) {
  sweep::Options options;
  options.store = path_;
  sweep::sweep(question(R"({"dp": [1, 2], "global_batch": 64})"), "mlp.json", options);
  EXPECT_EQ(complaint(question(kStrategy)), path_ + ": is an SQLite file of something else; give another --store");
  write_file(path_, std::string(200, 'x'));
  EXPECT_EQ(complaint(question(kStrategy)), path_ + ": is no SQLite file; give another --store");
}

TEST_F(KeptPredictions, NameTheStoreAndThePointThatIsDamaged) {
  const Json source = question(kStrategy);
  searched(source);
  store::Database database(path_);
  const auto row          = database.run("SELECT point, answer FROM points WHERE status = 'done' LIMIT 1").at(0);
  const std::string where = path_ + ": point " + Json(row[0]).dump_compact() + ": ";
  const std::string hint  = "; the store is damaged: restore a copy, or delete that row of its table points";
  Json negative           = parse_json(row[1], "answer");
  negative.set("time", -1.0);
  Json empty = parse_json(row[1], "answer");
  empty.set("predicted", false);
  for (const auto& [answer, what] : std::vector<std::pair<std::string, std::string>>{
           {"{}", "prediction: $: the key \"refusal\" is missing"},
           {"[]", "prediction: $: expected an object, found []"},
           {negative.dump_compact(), "prediction: has a number that is not from 0 on"},
           {empty.dump_compact(), "prediction: has neither a time nor a refusal"}}) {
    database.run("UPDATE points SET answer = ? WHERE point = ?", {answer, row[0]});
    EXPECT_EQ(complaint(source), where + what + hint);
  }
  database.run("UPDATE points SET answer = ?, status = 'dome' WHERE point = ?", {row[1], row[0]});
  EXPECT_EQ(complaint(source), where + "status: is \"dome\", which is not what the answer says" + hint);
  database.run("UPDATE points SET status = 'done' WHERE point = ?", {row[0]});
  EXPECT_EQ(complaint(source), "none");
}

TEST_F(KeptPredictions, AreAddedByOneSearchAtATime) {
  const Json source = question(kStrategy);
  std::string message;
  Options options;
  options.report = [&](const Status&) {
    if (message.empty()) message = complaint(source);
  };
  searched(source, options);
  EXPECT_EQ(message, path_ + ": is in use by another search; wait until that has ended, or give another --store");
}

// What was known when it was asked to end is there for the next.
TEST_F(KeptPredictions, AreThereAfterAnInterruption) {
  const Json source = question(R"({"dp": [1, 2, 4], "tp": [1, 2], "pp": [1, 2], "global_batch": 64, "recompute": "none",
                   "overlap_tensor": 1})");
  Options options;
  size_t evaluated = 0;
  options.report   = [&](const Status& status) { evaluated = status.evaluated; };
  options.stop     = [&] { return evaluated >= 10; };
  const Result cut = searched(source, options);
  EXPECT_TRUE(cut.interrupted);
  EXPECT_GE(cut.evaluated, 10U);
  const Result whole = searched(source);
  EXPECT_GE(found_, cut.evaluated);  // some are refusals
  EXPECT_EQ(whole.reused, cut.evaluated);
  EXPECT_EQ(to_json(whole, 10).dump(), to_json(search(source, "mlp.json", {}), 10).dump());
}

}  // namespace
}  // namespace foreflow::search::kept_test
