// The critical path method against its definition: longest paths, found by trying all of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "foreflow/analyze/dependencies.h"
#include "foreflow/base/nth.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "support/repeating.h"

namespace foreflow::analyze::critical_path_test {
namespace {

TEST(Dependencies, LeadFromMakersToReadersOnce) {
  const ir::Module module  = ir::parse(R"(func @f(%x) {
  %a, %b = Split[axis = 0](%x)
  %c = Add(%a, %b)
  %d = Mul(%c, %c)
  %e = Add(%d, %a)
  return %e
}
)",
                                       "test", ops::table());
  const Dependencies graph = dependencies(module.entry());
  EXPECT_EQ(graph.readers, (std::vector<std::vector<int32_t>>{{1, 3}, {2}, {3}, {}}));
  EXPECT_EQ(graph.edges(), 4U);
}

double longest_from(const Dependencies& graph, const std::vector<double>& weights, size_t op) {
  double longest = 0;
  for (const int32_t reader : graph.readers[op])
    longest = std::max(longest, longest_from(graph, weights, static_cast<size_t>(reader)));
  return longest + weights[op];
}

TEST(CriticalPath, IsTheLongestAndSlackIsWhatAnOpMayGrow) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    ir::Module module = test::repeating_program(seed);
    std::mt19937_64 random(seed);
    Dependencies graph = dependencies(module.entry());
    graph.readers.resize(std::min<size_t>(graph.readers.size(), 18));
    for (auto& readers : graph.readers)
      std::erase_if(readers, [&](int32_t reader) { return static_cast<size_t>(reader) >= graph.readers.size(); });
    std::vector<double> weights;
    for (size_t o = 0; o < graph.readers.size(); ++o)
      weights.push_back(std::uniform_int_distribution<int>(0, 5)(random));
    const auto length = [&](const std::vector<double>& with) {
      double longest = 0;
      for (size_t o = 0; o < with.size(); ++o) longest = std::max(longest, longest_from(graph, with, o));
      return longest;
    };
    const CriticalPath path = critical_path(graph, weights);
    EXPECT_EQ(path.length, length(weights));
    double along = 0;
    for (const int32_t op : path.path) along += nth(weights, op);
    EXPECT_EQ(along, path.length);
    EXPECT_TRUE(std::is_sorted(path.path.begin(), path.path.end()));
    for (size_t o = 0; o < weights.size(); ++o) {
      const double slack         = path.ops[o].slack();
      std::vector<double> longer = weights;
      longer[o] += slack;
      EXPECT_EQ(length(longer), path.length);
      longer[o] += 1;
      EXPECT_EQ(length(longer), path.length + 1);
    }
  }
}

}  // namespace
}  // namespace foreflow::analyze::critical_path_test
