#include <gtest/gtest.h>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"
#include "foreflow/sweep/sweep.h"
#include "store/database.h"
#include "support/temporary.h"

namespace foreflow::sweep::store_test {
namespace {

Json question(const std::string& parts) {
  return parse_json(R"({"workload": {"model": "mlp", "layers": 2, "hidden": 64}, )" + parts + "}", "s.json");
}

const char* const kPlatforms = R"("engine": "analytic", "platform": {"topology": "dgx2", "nodes": [1, 2]})";

Options keeping(const std::string& store) {
  Options options;
  options.store   = store;
  options.version = "1.2.3";
  return options;
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no Error was thrown";
}

// How many points a sweep finds in its store.
size_t found(const Json& source, const std::string& file, const std::string& store) {
  Options options = keeping(store);
  size_t kept     = 0;
  options.begun   = [&](size_t already, size_t) { kept = already; };
  sweep(source, file, options);
  return kept;
}

TEST(Stores, AreForOneScenarioAndOneVersion) {
  const test::TemporaryFolder folder;
  const std::string store = folder / "s.sqlite";
  const Json source       = question(kPlatforms);
  sweep(source, "s.json", keeping(store));
  Json larger = source;
  larger.member("workload").set("layers", 3);
  const std::string other = message_of([&] { sweep(larger, "s.json", keeping(store)); });
  EXPECT_EQ(other.substr(0, other.find('(')), store + ": holds a sweep of another scenario ");
  Options newer = keeping(store);
  newer.version = "1.2.4";
  EXPECT_EQ(
      message_of([&] { sweep(source, "s.json", newer); }),
      store + ": holds a sweep by foreflow 1.2.3, this is 1.2.4; give another --store, or remove it to start anew");
}

TEST(Stores, DoNotDependOnWhereTheScenarioLiesNorOnTheOrderOfItsMembers) {
  const test::TemporaryFolder folder;
  const Json one = question(R"("engine": ["analytic", "simgrid"], "platform": {"nodes": [1, 2], "topology": "dgx2"})");
  const Json other =
      question(R"("platform": {"topology": "dgx2", "nodes": [1, 2]}, "engine": ["analytic", "simgrid"])");
  EXPECT_EQ(found(one, "s.json", folder / "s"), 0U);
  EXPECT_EQ(found(other, "folder/t.json", folder / "s"), 4U);
}

TEST(Stores, BelongToTheFilesThatTheScenarioNamesToo) {
  const test::TemporaryFolder folder;
  const Json source    = question(std::string(kPlatforms) + R"(, "cost": {"model": "c.json"})");
  const auto once_more = [&] { sweep(source, folder / "s.json", keeping(folder / "s.sqlite")); };
  write_file(folder / "c.json", R"({"model": "roofline"})");
  EXPECT_EQ(message_of(once_more), "no Error was thrown");
  EXPECT_EQ(message_of(once_more), "no Error was thrown");
  write_file(folder / "c.json", R"({"model": "distir"})");
  EXPECT_NE(message_of(once_more).find("holds a sweep of another scenario"), std::string::npos);
}

// Stores of earlier versions hold sizes as numbers with a fraction, and a sweep that goes on prints them as its own.
TEST(Stores, MayHoldBytesWithAFraction) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "s.sqlite";
  const Json source      = question(kPlatforms);
  const Result first     = sweep(source, "s.json", keeping(path));
  store::Database(path).run(
      "UPDATE points SET answer = json_set(answer, '$.peak_memory_bytes', "
      "CAST(json_extract(answer, '$.peak_memory_bytes') AS REAL))");
  const std::string kept = store::Database(path).run("SELECT answer FROM points").at(0).at(0);
  EXPECT_NE(parse_json(kept, "kept").find("peak_memory_bytes")->if_double(), nullptr);
  EXPECT_EQ(found(source, "s.json", path), 2U);
  const Result again = sweep(source, "s.json", keeping(path));
  EXPECT_NE(first.points.at(0).answer.find("peak_memory_bytes")->if_int(), nullptr);
  EXPECT_EQ(to_json(again).dump(), to_json(first).dump());
  EXPECT_EQ(to_csv(again), to_csv(first));
}

TEST(Stores, AreNoOtherFiles) {
  const test::TemporaryFolder folder;
  const auto with = [&](const std::string& name) {
    const std::string message = message_of([&] { sweep(question(kPlatforms), "s.json", keeping(folder / name)); });
    return message.substr(message.find(": ") + 2);
  };
  write_file(folder / "text", std::string(200, 'x'));
  EXPECT_EQ(with("text"), "is no SQLite file; give another --store");
  EXPECT_EQ(with("none/s"), "cannot be opened; give a --store in a folder that can be written to");
  store::Database(folder / "other").run("CREATE TABLE points(x)");
  EXPECT_EQ(with("other"), "is an SQLite file of something else; give another --store");
}

}  // namespace
}  // namespace foreflow::sweep::store_test
