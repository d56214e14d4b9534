#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "foreflow/base/text.h"
#include "foreflow/schedule/describe.h"

namespace foreflow::schedule::draw_test {
namespace {

namespace fs = std::filesystem;

// As large as fits into a comment.
Size shown(const ScheduleDef& row) {
  const bool two_stages = row.mapping == StageMapping::vee || row.chunks == kAnyChunks;
  if (two_stages) return checked_size(row, 2, row.mapping == StageMapping::vee ? 4 : 2, {}, "test");
  return checked_size(row, 4, row.splits_backward ? 8 : 4, {}, "test");
}

std::string picture(const ScheduleDef& row) {
  const Size size = shown(row);
  return draw(play(plan(row, size), {}), size.chunks == 1 ? "stage" : "device");
}

std::string golden(const std::string& name) {
  return read_file(std::string(FOREFLOW_SOURCE_DIR) + "/tests/golden/schedule/" + name + ".golden");
}

std::string one_row(const std::vector<Slot>& slots) { return draw({slots}); }

constexpr Task kF0{Phase::forward, 0};
constexpr Task kB0{Phase::backward, 0};

TEST(Draw, GivesThePictureInTheCommentOfEverySchedule) {
  std::string sources;
  for (const auto& entry : fs::directory_iterator(std::string(FOREFLOW_SOURCE_DIR) + "/src/schedule")) {
    if (entry.path().extension() == ".cpp") sources += read_file(entry.path());
  }
  for (const ScheduleDef& row : schedules()) {
    std::string comment;
    for (const std::string& line : split(trim(picture(row)), '\n')) comment += "//   " + line + "\n";
    EXPECT_NE(sources.find(comment), std::string::npos) << row.name << " should show\n" << comment;
  }
}

TEST(Draw, HasAGoldenPictureOfEverySchedule) {
  for (const ScheduleDef& row : schedules()) {
    const std::string name   = std::string(row.name);
    const std::string header = "# run: foreflow schedule " + name + " --stages 4 --microbatches 8\n--- stdout\n";
    EXPECT_EQ(header + describe({.schedule = row, .devices = 4, .microbatches = 8}), golden(name));
  }
}

TEST(Draw, TakesFinerColumnsForHalfHops) {
  const std::string header = "# run: foreflow schedule eager_1f1b --stages 3 --microbatches 6 --hop 0.5\n--- stdout\n";
  const ScheduleDef& row   = schedules().get("eager_1f1b", "test");
  EXPECT_EQ(header + describe({.schedule = row, .devices = 3, .microbatches = 6, .costs = {.hop = 0.5}}),
            golden("eager_1f1b_hop"));
}

TEST(Draw, MarksChunksWithPrimesAndCellsWithAnAmpersand) {
  const Task up{Phase::forward, 0, 1}, joined{Phase::backward, 0, 0, true}, weight{Phase::weight_grad, 3, 2};
  EXPECT_EQ(one_row({{up, 0, 1}, {joined, 1, 3}, {weight, 3, 4}}), "stage 0 | F0'-&B0------- W3''\n");
}

TEST(Draw, FitsColumnsToTheWidestLabel) {
  const Task f10{Phase::forward, 10};
  EXPECT_EQ(one_row({{kF0, 0, 1}, {f10, 2, 3}}), "stage 0 | F0- ... F10\n");
}

TEST(Draw, LinesUpTheNamesOfManyStages) {
  const Slots slots(11, {{kF0, 0, 1}});
  EXPECT_TRUE(draw(slots).starts_with("stage  0 | F0\n"));
  EXPECT_TRUE(draw(slots).ends_with("stage 10 | F0\n"));
}

TEST(Draw, SeesTheDivisorThroughRounding) {
  EXPECT_NEAR(column_time({{{kF0, 0, 0.1}, {kB0, 0.1 + 0.1 + 0.1, 0.7}}}), 0.1, 1e-12);
}

TEST(Draw, RoundsToHalfTheShortestTaskWhereThereIsNoDivisor) {
  const double pi = 3.14159265358979;
  EXPECT_EQ(one_row({{kF0, 0, 1}, {kB0, 1, 1 + pi}}), "stage 0 | F0--- B0---------------\n");
  EXPECT_EQ(column_time({{{kF0, 0, 1}, {kB0, 1, 1 + pi}}}), 0.5);
}

TEST(Draw, RefusesNothing) {
  EXPECT_EQ(draw({}), "");
  EXPECT_EQ(draw({{}, {}}), "stage 0 |\nstage 1 |\n");
  EXPECT_EQ(one_row({{kF0, 0, 0}, {kB0, 0, 1}}), "stage 0 | B0\n");
  EXPECT_LT(one_row({{kF0, 0, 1}, {kB0, 1e12, 1e12 + 1}}).size(), 400'000u);
}

TEST(Draw, DrawsTimesOfAnyLegalSize) {
  const Costs costs{.forward = 1e100, .hop = 1e100};
  EXPECT_LT(
      describe({.schedule = schedules().get("1f1b", "test"), .devices = 4, .microbatches = 8, .costs = costs}).size(),
      2'000'000u);
}

TEST(Draw, TellsTheSizeOfAPicture) {
  // Two rows of three columns, each of two characters and the blank before them.
  EXPECT_EQ(picture_size({{{kF0, 0, 1}, {kB0, 1, 3}}, {{kF0, 0, 1}}}), 2 * 3 * 3);
  EXPECT_EQ(picture_size({}), 0);
}

TEST(Describe, RefusesAPictureTooLargeButGivesItsNumbers) {
  const Question question{.schedule = schedules().get("gpipe", "test"), .devices = 3000, .microbatches = 4};
  try {
    describe(question);
    FAIL() << "drew a picture of 3000 stages";
  } catch (const Error& error) {
    EXPECT_THAT(error.problem(), testing::HasSubstr("use fewer stages or microbatches, or --json - for the numbers"));
  }
  EXPECT_EQ(*to_json(question).find("stages")->if_int(), 3000);
}

TEST(Describe, RefusesBadValuesAtThePlaceOfTheCaller) {
  const ScheduleDef& gpipe = schedules().get("gpipe", "test");
  try {
    describe({.schedule = gpipe, .devices = 0, .microbatches = 4}, "--stages");
    FAIL() << "accepted no stages";
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "--stages");
  }
  EXPECT_THROW(to_json({.schedule = gpipe, .devices = 4, .microbatches = 4, .costs = {.forward = -1}}), Error);
}

}  // namespace
}  // namespace foreflow::schedule::draw_test
