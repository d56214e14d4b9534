// A store is a file, and files break: the sweep names the store and the point, and leaves the file as it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"
#include "foreflow/sweep/sweep.h"
#include "store/database.h"
#include "support/temporary.h"

namespace foreflow::sweep::damage_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class DamagedStore : public ::testing::Test {
 protected:
  Result sweep_it() const {
    Options options;
    options.store   = path_;
    options.version = "1.2.3";
    return sweep(source_, "s.json", options);
  }
  std::string complaint() const {
    try {
      sweep_it();
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }
  void set_answer(const std::string& text) {
    store::Database(path_).run("UPDATE points SET answer = ? WHERE point = '{\"platform.nodes\":2}'", {text});
  }

  const test::TemporaryFolder folder_;
  const std::string path_ = folder_ / "s.sqlite";
  const Json source_      = parse_json(
           R"({"workload": {"model": "mlp", "layers": 2, "hidden": 64}, "engine": "analytic",
          "platform": {"topology": "dgx2", "nodes": [1, 2]}})",
           "s.json");
};

TEST_F(DamagedStore, IsNamedWithThePointWhoseAnswerIsNone) {
  sweep_it();
  const std::string where = path_ + ": point \"{\\\"platform.nodes\\\":2}\": answer: ";
  const std::string hint  = "; the store is damaged: restore a copy, or delete that row of its table points";
  const std::string whole = store::Database(path_).run("SELECT answer FROM points WHERE point LIKE '%2%'").at(0).at(0);
  for (const auto& [answer, what] : std::vector<std::pair<std::string, std::string>>{
           {"{}", "$: the key \"iteration_time_s\" is missing"},
           {"[]", "$: expected an object, found []"},
           {"null", "$: expected an object, found null"},
           {whole.substr(0, whole.size() - 1) + ",\"mfv\":1}", "$.mfv: unknown key \"mfv\"; the nearest is \"mfu\""}}) {
    set_answer(answer);
    EXPECT_EQ(complaint(), where + what + hint) << answer;
    EXPECT_EQ(store::Database(path_).run("SELECT count(*) FROM points").at(0).at(0), "2") << "a record is lost";
  }
  Json text = parse_json(whole, "answer");
  text.set("throughput_samples_per_s", "fast");
  set_answer(text.dump_compact());
  EXPECT_EQ(complaint(), where + "$.throughput_samples_per_s: is no number of 0 or more" + hint);
  set_answer("{");
  EXPECT_THAT(complaint(), StartsWith(path_ + ": point \"{\\\"platform.nodes\\\":2}\": answer:1:"));
  set_answer(whole);
  EXPECT_EQ(complaint(), "none");
}

TEST_F(DamagedStore, IsNamedWithAPointThatIsNoneAndAStatusThatIsNone) {
  sweep_it();
  store::Database(path_).run("UPDATE points SET status = 'dome' WHERE point LIKE '%2%'");
  EXPECT_THAT(complaint(), HasSubstr("its status is \"dome\", which is neither done nor failed"));
  store::Database(path_).run(
      "UPDATE points SET status = 'done', point = '{\"platform.nodes\":3}' WHERE point LIKE '%2%'");
  EXPECT_THAT(complaint(), HasSubstr("point \"{\\\"platform.nodes\\\":3}\": is none of the scenario's points"));
}

// Either the byte means nothing, or one line names the store; a number that has become another is a number.
TEST_F(DamagedStore, WithAnyByteFlippedIsReadOrNamed) {
  sweep_it();
  const std::string whole = read_file(path_);
  std::mt19937 random(1);
  size_t named = 0;
  for (int i = 0; i < 300; ++i) {
    std::string bytes = whole;
    bytes[random() % bytes.size()] ^= static_cast<char>(1U << (random() % 8));
    write_file(path_, bytes);
    const std::string message = complaint();
    if (message == "none") continue;
    ++named;
    EXPECT_THAT(message, StartsWith(path_ + ": "));
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
  EXPECT_GT(named, 0U);
}

TEST_F(DamagedStore, IsNamedAboveAll) {
  sweep_it();
  std::string bytes = read_file(path_);
  bytes.resize(bytes.size() / 2);
  write_file(path_, bytes);
  EXPECT_THAT(complaint(), StartsWith(path_ + ": is damaged: "));
}

}  // namespace
}  // namespace foreflow::sweep::damage_test
