// What `foreflow fabrics` says beside what its closed forms say.
#include <gtest/gtest.h>

#include <set>

#include "foreflow/base/json.h"
#include "support/command.h"

namespace foreflow::fabrics_command_test {
namespace {

struct Row {
  std::string fabric;
  double all_reduce, all_reduce_formula, all_to_all, all_to_all_formula, bisection, bisection_formula;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all = [] {
    const auto answer = test::run_foreflow({"fabrics", "--gpus", "64,256", "--json", "-"});
    EXPECT_EQ(answer.exit_code, 0) << answer.err;
    const Json json = parse_json(answer.out, "fabrics");
    std::vector<Row> read;
    for (const JsonView& row : JsonView(json, "fabrics").at("rows").items()) {
      const auto number = [&](const char* key) { return row.at(key).as_number(); };
      read.push_back({row.at("fabric").as_string(), number("all_reduce_s"), number("all_reduce_formula_s"),
                      number("all_to_all_s"), number("all_to_all_formula_s"), number("bisection_bytes_per_s"),
                      number("bisection_formula_bytes_per_s")});
    }
    return read;
  }();
  return all;
}

TEST(FabricsCommand, FindsNoTimeBelowItsClosedForm) {
  constexpr double kExact = 1 - 1e-9;
  ASSERT_EQ(rows().size(), 32u);
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.fabric);
    EXPECT_GT(row.all_reduce_formula, 0);
    EXPECT_GT(row.all_to_all_formula, 0);
    EXPECT_GE(row.all_reduce, row.all_reduce_formula * kExact);
    EXPECT_GE(row.all_to_all, row.all_to_all_formula * kExact);
  }
}

// Where the routing lets no more messages meet than must.
TEST(FabricsCommand, FindsTheClosedFormWhereNoMessagesCollide) {
  const std::set<std::string> rings  = {"star, dmodk",
                                        "fat_tree2, dmodk",
                                        "fat_tree2, ecmp",
                                        "fat_tree2, adaptive",
                                        "fat_tree2, adaptive, oversubscription 2",
                                        "fat_tree3, dmodk",
                                        "rail_optimized, dmodk",
                                        "rail_only, dmodk",
                                        "dragonfly, minimal",
                                        "torus2d, dmodk",
                                        "torus2d, dmodk, cable_nics 8"};
  const std::set<std::string> shifts = {"star, dmodk",
                                        "fat_tree2, dmodk",
                                        "fat_tree2, ecmp",
                                        "fat_tree2, adaptive",
                                        "rail_optimized, dmodk",
                                        "fat_tree3, dmodk",
                                        "fat_tree2, adaptive, oversubscription 2",
                                        "rail_only, dmodk"};
  int compared                       = 0;
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.fabric);
    if (rings.contains(row.fabric)) {
      EXPECT_NEAR(row.all_reduce, row.all_reduce_formula, 0.01 * row.all_reduce);
    }
    if (shifts.contains(row.fabric)) {
      EXPECT_NEAR(row.all_to_all, row.all_to_all_formula, 0.01 * row.all_to_all);
    }
    EXPECT_NEAR(row.bisection, row.bisection_formula, 0.04 * row.bisection);
    compared += rings.contains(row.fabric) ? 1 : 0;
  }
  EXPECT_EQ(compared, 22);
}

}  // namespace
}  // namespace foreflow::fabrics_command_test
