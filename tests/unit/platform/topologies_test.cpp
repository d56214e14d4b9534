#include "foreflow/platform/topologies.h"

#include <gtest/gtest.h>

#include <string>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "foreflow/platform/describe.h"
#include "foreflow/platform/load.h"

namespace foreflow::platform::topologies_test {
namespace {

Platform machine(const std::string& name, int nodes) { return make(topologies().get(name, "test"), nodes); }

std::vector<std::string> names(const Platform& platform, const Route& route) {
  std::vector<std::string> all;
  for (const int link : route.links) all.push_back(nth(platform.links(), link).name);
  return all;
}

struct Committed {
  std::string file;
  std::string topology;
  int nodes;
};

TEST(Topologies, WriteTheFilesInPlatforms) {
  for (const auto& [file, topology, nodes] :
       {Committed{"dgx2.xml", "dgx2", 1}, Committed{"p3_8xlarge_4.xml", "p3_8xlarge", 4},
        Committed{"dgx_a100_32.xml", "dgx_a100", 32}}) {
    const std::string committed = read_file(FOREFLOW_SOURCE_DIR "/platforms/" + file);
    EXPECT_TRUE(committed == write_xml(recipe_of(topologies().get(topology, "test"), nodes)))
        << file << " differs; write it again with: foreflow platform " << topology << " --nodes " << nodes
        << " -o platforms/" << file;
  }
}

TEST(Topologies, RefuseZeroNodes) {
  try {
    machine("dgx2", 0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "dgx2: 0 nodes; use 1 or more");
  }
}

TEST(Topologies, ShareANicOfADgx2BetweenTwoGpus) {
  const Platform platform = machine("dgx2", 2);
  const int gpus          = 16;
  for (const int i : {0, 1, 6, 15}) {
    const std::string from = "node0-gpu" + std::to_string(i);
    const std::string nic  = "node0-nic" + std::to_string(i / 2);
    EXPECT_EQ(names(platform, platform.route(i, gpus + 2)),
              (std::vector<std::string>{from + "-pcie_UP", nic + "_UP", "node1-nic1_DOWN", "node1-gpu2-pcie_DOWN"}));
  }
}

TEST(Topologies, ShareTheNicOfAP3BetweenItsFourGpus) {
  const Platform platform = machine("p3_8xlarge", 2);
  for (const int i : {0, 1, 2, 3}) {
    const std::string from = "node0-gpu" + std::to_string(i);
    EXPECT_EQ(
        names(platform, platform.route(i, 4)),
        (std::vector<std::string>{from + "-pcie_UP", "node0-nic0_UP", "node1-nic0_DOWN", "node1-gpu0-pcie_DOWN"}));
  }
}

TEST(Topologies, CarryTheDataSheetOfTheirGpus) {
  const Device v100 = machine("dgx2", 1).devices().front();
  EXPECT_EQ(v100.kind, "V100-SXM3-32GB");
  EXPECT_EQ(v100.memory.value(), 32e9);
  EXPECT_EQ(v100.memory_bandwidth.value(), 900e9);
  EXPECT_EQ(v100.peak("f16").value(), 125e12);
  EXPECT_EQ(v100.peak("bf16"), v100.peak("f32")) << "a type that the data sheet does not name runs at the f32 peak";
  EXPECT_NEAR(v100.launch.value(), 10e-6, 1e-18);
  const Device a100 = machine("dgx_a100", 1).devices().front();
  EXPECT_EQ(a100.memory.value(), 80e9);
  EXPECT_EQ(a100.peak("bf16").value(), 312e12);
  EXPECT_EQ(a100.peak("f32").value(), 19.5e12);
}

}  // namespace
}  // namespace foreflow::platform::topologies_test
