#include "foreflow/search/cluster.h"

#include <gtest/gtest.h>

namespace foreflow::search::cluster_test {
namespace {

std::vector<Cluster> clusters(const std::string& platform) {
  const Json question = parse_json(R"({"workload": {"model": "mlp", "layers": 4, "hidden": 64}, "platform": )" +
                                       platform + R"(, "strategy": {"dp": [1, 2]}, "placement": ["packed", "spread"]})",
                                   "mlp.json");
  return clusters_of(question, "mlp.json");
}

TEST(Clusters, AreOneWithoutAxes) {
  const auto all = clusters(R"({"topology": "dgx2"})");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_TRUE(all[0].said.is_null());
  EXPECT_EQ(all[0].platform->devices().size(), 16U);
}

TEST(Clusters, AreTheProductOfTheAxes) {
  const auto all =
      clusters(R"({"topology": "dgx_a100", "nodes": [1, 2], "links": {"nic": {"bandwidth": ["100Gbps", "200Gbps"]}}})");
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].said.dump_compact(), R"({"nodes":1,"links.nic.bandwidth":"100Gbps"})");
  EXPECT_EQ(all[3].said.dump_compact(), R"({"nodes":2,"links.nic.bandwidth":"200Gbps"})");
  EXPECT_EQ(all[3].platform->devices().size(), 16U);
  for (const Cluster& cluster : all) EXPECT_EQ(cluster.hardware, 0);
}

TEST(Clusters, MayBeListedWhole) {
  const auto all = clusters(R"([{"topology": "dgx2"}, {"topology": "dgx_a100", "nodes": [1, 2]}])");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[2].said.dump_compact(), R"({"topology":"dgx_a100","nodes":2})");
  EXPECT_NE(all[0].hardware, all[1].hardware);
  EXPECT_EQ(all[1].hardware, all[2].hardware);
}

TEST(Clusters, AreRefusedWithThePlace) {
  for (const char* platform : {R"({"topology": "dgx2", "nodes": []})", R"({"topology": "dgx2", "nodes": [1, 0]})"}) {
    try {
      clusters(platform);
      ADD_FAILURE() << platform;
    } catch (const Error& error) {
      EXPECT_EQ(error.where(), "mlp.json: $.platform.nodes");
    }
  }
}

}  // namespace
}  // namespace foreflow::search::cluster_test
