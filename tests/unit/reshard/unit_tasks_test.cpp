// Unit tasks and bounds against the nine cases, which were calculated independently with exact arithmetic.
#include "foreflow/reshard/unit_tasks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "foreflow/reshard/volume.h"
#include "support/reshard_cases.h"

namespace foreflow::reshard::unit_tasks_test {
namespace {

using test::ReshardCase;

// Hosts of a mesh are counted from its first one.
std::vector<int64_t> hosts(const std::vector<int>& devices, const Mesh& mesh) {
  std::set<int64_t> result;
  for (const int device : devices) result.insert(device / 4 - mesh.devices.front() / 4);
  return {result.begin(), result.end()};
}

std::vector<int64_t> integers(const JsonView& list) {
  std::vector<int64_t> result;
  for (const JsonView& item : list.items()) result.push_back(item.as_int());
  return result;
}

Bytes size_of(const Tensor& tensor) {
  Bytes bytes = tensor.element;
  for (const int64_t extent : tensor.shape) bytes = static_cast<double>(extent) * bytes;
  return bytes;
}

TEST(UnitTasks, AreThoseOfTheNineCases) {
  for (const ReshardCase& one : test::reshard_cases()) {
    const UnitTasks units = unit_tasks({one.move});
    const JsonView facts(one.facts, one.name);
    ASSERT_EQ(static_cast<int64_t>(units.tasks.size()), facts.at("n_unit_tasks").as_int()) << one.name;
    if (facts.at("unit_tasks").json().if_string() != nullptr) continue;  // case 4 is stated in words
    const auto expected = facts.at("unit_tasks").items();
    for (size_t i = 0; i < expected.size(); ++i) {
      const auto share    = integers(expected[i].at("frac"));
      const UnitTask task = units.tasks[i];
      EXPECT_DOUBLE_EQ(task.bytes / size_of(one.move.tensor),
                       static_cast<double>(share[0]) / static_cast<double>(share[1]))
          << one.name;
      EXPECT_EQ(hosts(units.holders(task), one.move.from.mesh), integers(expected[i].at("senders"))) << one.name;
      EXPECT_EQ(hosts(units.receivers(task), one.move.to.mesh), integers(expected[i].at("receivers"))) << one.name;
    }
  }
}

// Five elements of four bits in two parts are three and two.
TEST(UnitTasks, OfElementsOfFourBitsHaveWholeBytes) {
  Move move;
  move.tensor      = {"", {5}, Bytes(0.5)};
  move.from.mesh   = {{1}, {0}};
  move.to.mesh     = {{2}, {1, 2}};
  move.from.spec   = parse_spec("R", "test");
  move.to.spec     = parse_spec("S0", "test");
  const auto units = unit_tasks({move});
  ASSERT_EQ(units.tasks.size(), 2U);
  EXPECT_EQ(units.tasks[0].bytes, Bytes(2));
  EXPECT_EQ(units.tasks[1].bytes, Bytes(1));
  EXPECT_EQ(bytes_of(move.tensor, 5), Bytes(3));
}

TEST(UnitTasks, CaseFourHasSixteenOfASixtyFourthForEachPairOfHosts) {
  for (const ReshardCase& one : test::reshard_cases()) {
    if (one.name != "case4") continue;
    const UnitTasks units = unit_tasks({one.move});
    std::map<std::pair<int, int>, int> pairs;
    for (const UnitTask& task : units.tasks) {
      EXPECT_DOUBLE_EQ(task.bytes / size_of(one.move.tensor), 1.0 / 64);
      ++pairs[{units.holders(task).front() / 4, units.receivers(task).front() / 4}];
    }
    EXPECT_THAT(pairs, testing::ElementsAre(testing::Pair(std::pair(0, 2), 16), testing::Pair(std::pair(0, 3), 16),
                                            testing::Pair(std::pair(1, 2), 16), testing::Pair(std::pair(1, 3), 16)));
  }
}

TEST(UnitTasks, LeastTimeIsTheLowerBoundOfTheNineCases) {
  for (const ReshardCase& one : test::reshard_cases()) {
    const UnitTasks units = unit_tasks({one.move});
    const Ports ports     = uniform_ports(test::hosts_of_four(one.move), BytesPerSecond(1.25e9));
    EXPECT_NEAR(least_time(units, ports) / one.expected("lower_bound"), 1, 1e-12) << one.name;
    EXPECT_NEAR(least_volume(units) / size_of(one.move.tensor), 1, 1e-12) << one.name;
  }
}

TEST(UnitTasks, WhatADeviceHasIsNotSentToIt) {
  // Two devices each have half of a matrix by rows and want all of it.
  const Mesh mesh       = consecutive({2}, 0);
  const UnitTasks units = unit_tasks({{{"w", {4, 4}, Bytes(2)}, {mesh, {{{0}, {}}}}, {mesh, {{{}, {}}}}}});
  ASSERT_EQ(units.tasks.size(), 2U);
  EXPECT_THAT(units.receivers(units.tasks[0]), testing::ElementsAre(1));
  EXPECT_THAT(units.receivers(units.tasks[1]), testing::ElementsAre(0));
  // The same layout again needs nothing.
  const UnitTasks none = unit_tasks({{{"w", {4, 4}, Bytes(2)}, {mesh, {{{0}, {}}}}, {mesh, {{{0}, {}}}}}});
  EXPECT_EQ(least_volume(none), Bytes(0));
}

TEST(UnitTasks, OfUnevenTilesFillEachTargetTile) {
  // 7 rows: in parts of 3, 3, 1 on one side, 4 and 3 on the other.
  const Layout from{consecutive({3}, 0), {{{0}, {}}}}, to{consecutive({2}, 3), {{{0}, {}}}};
  const UnitTasks units = unit_tasks({{{"x", {7, 2}, Bytes(1)}, from, to}});
  std::vector<std::string> boxes;
  for (const UnitTask& task : units.tasks) boxes.push_back(print(units.box(task)));
  EXPECT_THAT(boxes, testing::ElementsAre("[0:3, 0:2]", "[3:4, 0:2]", "[4:6, 0:2]", "[6:7, 0:2]"));
}

}  // namespace
}  // namespace foreflow::reshard::unit_tasks_test
