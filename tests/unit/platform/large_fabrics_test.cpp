// Routings at the size of real machines, in a process of their own whose memory is measured.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "support/recipe_text.h"
#include "support/sanitized.h"

namespace foreflow::platform::large_fabrics_test {
namespace {

constexpr int kGpus       = 16384;
constexpr int kRoutes     = 20'000;
constexpr long kMostKilos = test::kSanitized ? 4'000'000 : 400'000;

// 0: every route has two NICs and returns the way back as long.
int routes_go_wrong(const std::string& fabric) {
  const Platform platform =
      test::machine(fmt::format(R"({{"topology": "dgx_h100", "nodes": {}, "fabric": {}}})", kGpus / 8, fabric));
  std::mt19937 random(7);
  std::uniform_int_distribution<int> any(0, kGpus - 1);
  for (int i = 0; i < kRoutes; ++i) {
    const int from = any(random), to = any(random);
    if (platform.node(from) == platform.node(to)) continue;
    int nics = 0;
    for (const int link : platform.route(from, to).links)
      nics += platform.links().like(static_cast<size_t>(link)).kind == "nic" ? 1 : 0;
    if (nics != 2) return 1;
  }
  return 0;
}

class LargeFabric : public testing::TestWithParam<std::string> {};

TEST_P(LargeFabric, RoutesSixteenThousandGpusInLittleMemory) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(routes_go_wrong(GetParam()));
  int status = 0;
  rusage usage{};
  ASSERT_EQ(wait4(child, &status, 0, &usage), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_LT(usage.ru_maxrss, kMostKilos);
}

INSTANTIATE_TEST_SUITE_P(Every, LargeFabric,
                         testing::Values(R"("fat_tree2", "routing": "hash")", R"("fat_tree3", "routing": "ecmp")",
                                         R"("fat_tree3", "routing": "adaptive")", R"("rail_optimized")",
                                         R"("rail_only")", R"("dragonfly", "routing": "valiant")",
                                         R"("dragonfly", "routing": "ugal")", R"("torus2d")", R"("torus3d")"),
                         [](const auto& row) { return fmt::format("{}", row.index); });

}  // namespace
}  // namespace foreflow::platform::large_fabrics_test
