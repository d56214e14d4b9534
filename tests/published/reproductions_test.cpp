// What `foreflow reproduce` promises of published tables.
#include <gtest/gtest.h>

#include <algorithm>

#include "foreflow/reproduce/reproduce.h"

namespace foreflow::published {
namespace {

reproduce::Result made(const char* name) {
  return reproduce::reproductions().get(name, "test").run({.folder = FOREFLOW_SOURCE_DIR, .jobs = 1, .timing = false, .finished = {}});
}

// A choice that agrees, or is slower than ours by less than 2 % by our prediction.
TEST(Reproductions, AgreeOnNineInTenOfDistirsBestStrategies) {
  const reproduce::Result result = made("distir_table2");
  ASSERT_EQ(result.rows.size(), 27U);
  size_t close = 0;
  for (const reproduce::Row& row : result.rows) close += row.relative_error && *row.relative_error > -0.02 ? 1 : 0;
  EXPECT_GE(10 * close, 9 * result.rows.size());
}

TEST(Reproductions, PredictWhatDistirsSimulatorPrinted) {
  const reproduce::Agreement found = agreement(made("distir_figure5"));
  EXPECT_LT(*found.worst, 0.0025);  // copies that their transform makes: tests/published/distir/README.md
  EXPECT_GT(*found.spearman, 0.9999);
}

// Theirs is D2 T1 P8; the paper leaves the sizes of the model and the network open.
TEST(Reproductions, FindDistsimsBestStrategyAmongTheirThreeBest) {
  const reproduce::Result result = made("distsim_figure12");
  ASSERT_EQ(result.rows.size(), 15U);
  const auto rate = [](const reproduce::Row& row) { return *row.ours.if_double(); };
  const auto best = std::find_if(result.rows.begin(), result.rows.end(),
                                 [](const reproduce::Row& row) { return row.name.starts_with("D2 T1 P8:"); });
  ASSERT_NE(best, result.rows.end());
  EXPECT_LE(std::count_if(result.rows.begin(), result.rows.end(),
                          [&](const reproduce::Row& row) { return rate(row) > rate(*best); }),
            2);
}

}  // namespace
}  // namespace foreflow::published
