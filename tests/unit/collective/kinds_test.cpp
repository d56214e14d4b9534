#include <gtest/gtest.h>

#include <map>
#include <set>

#include "foreflow/collective/collective.h"
#include "foreflow/ops/table.h"

namespace foreflow::collective {
namespace {

TEST(Kinds, HaveARowEachInTheOrderOfTheirNumbers) {
  ASSERT_EQ(kinds().size(), static_cast<size_t>(kKinds));
  int number = 0;
  for (const KindDef& def : kinds()) {
    EXPECT_EQ(static_cast<int>(def.kind), number++) << def.name;
    EXPECT_EQ(kind_named(def.name, "test"), def.kind);
    EXPECT_EQ(name(def.kind), def.name);
  }
}

TEST(Kinds, CarryOutEachCommunicationOpOnce) {
  std::set<std::string_view> carried_out;
  for (const KindDef& def : kinds()) {
    for (const std::string_view op : def.ops) {
      EXPECT_NE(ops::table().find(op), nullptr) << op;
      EXPECT_TRUE(carried_out.insert(op).second) << op;
    }
  }
  for (const ir::OpDef& op : ops::table()) {
    // A Reshard is several collectives, which its plan chooses (foreflow/reshard/plan.h).
    if (op.role == ir::Role::communication && op.name != "Reshard") {
      EXPECT_TRUE(carried_out.contains(op.name)) << op.name;
    }
  }
}

TEST(Kinds, AreWhatTheRowsOfTheirOpsSay) {
  using ir::Communication;
  const std::map<Kind, std::set<Communication>> expected = {
      {Kind::send, {Communication::send}},
      {Kind::all_reduce, {Communication::all_reduce, Communication::all_reduce_max}},
      {Kind::reduce_scatter, {Communication::reduce_scatter}},
      {Kind::all_gather, {Communication::all_gather}},
      {Kind::broadcast, {Communication::broadcast}},
      {Kind::reduce, {Communication::reduce}},
      {Kind::gather, {Communication::gather}},
      {Kind::scatter, {Communication::scatter}},
      {Kind::all_to_all, {Communication::all_to_all}},
      {Kind::shift, {Communication::shift}}};
  for (const KindDef& def : kinds()) {
    std::set<Communication> found;
    for (const std::string_view op : def.ops) found.insert(ops::table().get(op, "test").communication);
    EXPECT_EQ(found, expected.at(def.kind)) << def.name;
  }
}

// doc/PERFORMANCE.md of nccl-tests.
TEST(Kinds, HaveTheBusBandwidthOfNcclTests) {
  EXPECT_DOUBLE_EQ(bus_factor(Kind::all_reduce, 4), 1.5);
  for (const Kind kind : {Kind::reduce_scatter, Kind::all_gather, Kind::all_to_all, Kind::gather, Kind::scatter})
    EXPECT_DOUBLE_EQ(bus_factor(kind, 4), 0.75) << name(kind);
  for (const Kind kind : {Kind::send, Kind::broadcast, Kind::reduce, Kind::shift})
    EXPECT_DOUBLE_EQ(bus_factor(kind, 4), 1) << name(kind);
}

}  // namespace
}  // namespace foreflow::collective
