// Each node recipe against the hardware facts that it was written from.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/platform/describe.h"
#include "foreflow/platform/load.h"
#include "support/data.h"
#include "support/hardware_facts.h"

namespace foreflow::platform::node_recipes_test {
namespace {

using test::Fact;

// Two nodes of `topology` on the star. Facts are bandwidths of one direction.
struct Row {
  std::string topology;
  size_t gpus;
  std::map<std::string, size_t> cables;  // of a node, by kind
  int neighbour;                         // a GPU of node 0 that is reached from GPU 0 at `inside`
  Fact inside;
  Fact between;  // the way to the first GPU of node 1
  double nics;   // of a node, in the unit of `between`
};

const Fact kEdr = {"InfiniBand EDR 4x", "port rate"}, kHdr = {"InfiniBand HDR 4x", "port rate"},
           kNdr = {"InfiniBand NDR 4x", "port rate"}, kXdr = {"InfiniBand XDR 4x", "port rate"},
           kPcie4 = {"PCIe 4 x16", "uni-directional"};

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"dgx1",
       8,
       {{"nvlink", 16}, {"pcie", 8 + 4}, {"host", 1}, {"nic", 4}},
       3,
       {"V100", "NVLink2 uni-directional per GPU (6 links x 25)", 2.0 / 6},
       kEdr,
       4},
      {"dgx2",
       16,
       {{"nvlink", 16}, {"pcie", 16}, {"nic", 8}},
       9,
       {"V100", "NVLink2 uni-directional per GPU (6 links x 25)"},
       kEdr,
       8},
      {"dgx_a100",
       8,
       {{"nvlink", 8}, {"pcie", 8}, {"nic", 8}},
       7,
       {"A100 SXM", "NVLink uni-directional per GPU"},
       kHdr,
       8},
      {"dgx_h100",
       8,
       {{"nvlink", 8}, {"pcie", 8}, {"nic", 8}},
       7,
       {"H100/H200", "NVLink uni-directional per GPU"},
       kNdr,
       8},
      {"dgx_h200",
       8,
       {{"nvlink", 8}, {"pcie", 8}, {"nic", 8}},
       7,
       {"H100/H200", "NVLink uni-directional per GPU"},
       kNdr,
       8},
      {"dgx_b200",
       8,
       {{"nvlink", 8}, {"pcie", 8}, {"nic", 8}},
       7,
       {"B200/GB200", "NVLink uni-directional per GPU"},
       kNdr,
       8},
      {"dgx_b300",
       8,
       {{"nvlink", 8}, {"pcie", 8}, {"nic", 8}},
       7,
       {"B200/GB200", "NVLink uni-directional per GPU"},
       kXdr,
       8},
      {"gb300_nvl72",
       72,
       {{"nvlink", 72}, {"pcie", 72}, {"nic", 72}},
       71,
       {"B200/GB200", "NVLink uni-directional per GPU"},
       kXdr,
       72},
      {"mi300x",
       8,
       {{"xgmi", 28}, {"pcie", 8}, {"nic", 8}},
       7,
       {"MI300X", "Infinity Fabric link uni-directional"},
       kNdr,
       8},
      {"mi325x",
       8,
       {{"xgmi", 28}, {"pcie", 8}, {"nic", 8}},
       7,
       {"MI300X", "Infinity Fabric link uni-directional"},
       kNdr,
       8},
      {"gaudi3",
       8,
       {{"scaleup", 28}, {"pcie", 8}, {"nic", 8}},
       7,
       {"Gaudi 3", "Ethernet port", 3},
       {"Gaudi 3", "Ethernet port", 3},
       8},
      // Two chips are joined by one of six links.
      {"tpu_v5p", 1, {{"nic", 1}}, 0, {"", "", 0}, {"TPU v5p", "interconnect uni-directional per chip", 1.0 / 6}, 1},
      // Six of 18 links for each of three other GPUs.
      {"alps_gh200",
       4,
       {{"nvlink", 6}, {"host", 4}, {"nic", 4}},
       3,
       {"H100/H200", "NVLink uni-directional per GPU", 1.0 / 3},
       kHdr,
       4},
      {"ndv4_a100",
       8,
       {{"nvlink", 8}, {"pcie", 8}, {"nic", 8}},
       7,
       {"A100 SXM", "NVLink uni-directional per GPU"},
       kHdr,
       8},
      {"gb200_nvl72",
       72,
       {{"nvlink", 72}, {"pcie", 72}, {"nic", 72}},
       71,
       {"B200/GB200", "NVLink uni-directional per GPU"},
       kNdr,
       72},
      // "4 V100-16GB / 200 GBps / 10 Gbps": both directions of NVLink; bits of the card.
      {"p3_8xlarge",
       4,
       {{"nvlink", 4}, {"pcie", 4}, {"nic", 1}},
       3,
       {"AWS p3.8xlarge", "GPUs / NVLink / network", 1e9 / 2, 3},
       {"AWS p3.8xlarge", "GPUs / NVLink / network", 1e9 / 8, 4},
       1},
      // "8 A100-40GB NVSwitch / 400 Gbps EFA (4x100, 50 GB/s per node)".
      {"p4d",
       8,
       {{"nvlink", 8}, {"pcie", 8}, {"nic", 4}},
       7,
       {"A100 SXM", "NVLink uni-directional per GPU"},
       {"AWS p4d.24xlarge", "GPUs / network", 1e9 / 4, 6},
       4},
      // "32 x 100 Gbps EFA v2 = 400 GB/s per node": four cards for each GPU.
      {"p5",
       8,
       {{"nvlink", 8}, {"pcie", 8}, {"nic", 8}},
       7,
       {"H100/H200", "NVLink uni-directional per GPU"},
       {"AWS p5.48xlarge", "network", 1e9 / 8, 3},
       8},
      {"a40_pcie", 4, {{"pcie", 4}, {"host", 1}, {"nic", 1}}, 3, kPcie4, kEdr, 1},
      {"a10_pcie", 4, {{"pcie", 4 + 1}, {"nic", 1}}, 3, kPcie4, kEdr, 1},
      {"pcie_l40s", 8, {{"pcie", 8 + 2}, {"host", 1}, {"nic", 2}}, 7, kPcie4, kHdr, 2},
      {"cpu_cluster", 2, {{"host", 2}, {"pcie", 2}, {"nic", 1}}, 1, {"", "", 41.6e9}, kHdr, 1},
      {"localhost", 1, {{"memory", 1}}, 0, {"", "", 10e9}, {"", "", 10e9}, 1}};
  return all;
}

class NodeRecipe : public testing::TestWithParam<std::string> {
 protected:
  static const Row& row() {
    return *std::find_if(rows().begin(), rows().end(), [](const Row& r) { return r.topology == GetParam(); });
  }
  static Platform machine(int nodes) { return make(topologies().get(GetParam(), "test"), nodes); }
  static double bandwidth(const Platform& platform, int from, int to) {
    return route_bandwidth(platform, platform.route(from, to)).value();
  }
};

TEST_P(NodeRecipe, HasTheDevicesAndLinksOfTheFacts) {
  const Platform platform = machine(2);
  EXPECT_EQ(platform.devices().size(), 2 * row().gpus);
  std::map<std::string, size_t> links, expected;
  for (const Link& link : platform.links()) ++links[link.kind];
  for (const auto& [kind, cables] : row().cables) expected[kind] = 4 * cables;  // 2 nodes, 2 directions
  if (topologies().get(GetParam(), "test").fabric == "torus3d") expected["fabric"] = 2;
  EXPECT_EQ(links, expected);
}

TEST_P(NodeRecipe, HasTheBottlenecksOfTheFacts) {
  const test::HardwareFacts facts(test::data("hardware_facts.csv"));
  const Platform platform = machine(2);
  const int gpus          = static_cast<int>(row().gpus);
  if (row().neighbour > 0) {
    EXPECT_DOUBLE_EQ(bandwidth(platform, 0, row().neighbour), facts.value(row().inside));
  }
  EXPECT_DOUBLE_EQ(bandwidth(platform, 0, gpus), facts.value(row().between));
  EXPECT_DOUBLE_EQ(bisection_bandwidth(platform).value(), row().nics * facts.value(row().between));
}

// Every GPU of the servers that have no network library's software NIC in between uses the NIC that is nearest.
TEST_P(NodeRecipe, SendsFromTheNearestNic) {
  const Platform platform = machine(2);
  const int gpus = static_cast<int>(row().gpus), nics = static_cast<int>(row().nics);
  for (int i = 0; i < gpus; ++i) {
    int used = -1;
    for (const int link : platform.route(i, gpus).links) {
      const Link& crossed = nth(platform.links(), link);
      if (crossed.name.starts_with("node0-nic") && crossed.name.ends_with("_UP"))
        used = std::stoi(crossed.name.substr(9));
    }
    EXPECT_EQ(used, GetParam() == "localhost" || GetParam() == "tpu_v5p" ? -1 : i * nics / gpus) << i;
    EXPECT_EQ(nth(platform.devices(), i).rail, i * nics / gpus) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, NodeRecipe, testing::ValuesIn(topologies().names()),
                         [](const auto& row) { return row.param; });

// dtype or "memory", "memory_bandwidth" -> fact.
struct Sheet {
  std::string topology;
  std::map<std::string, Fact> facts;
};

std::map<std::string, Fact> dense(const std::string& device) {
  return {{"f32", {device, "peak dense fp32"}},
          {"f16", {device, "peak dense fp16"}},
          {"bf16", {device, "peak dense bf16"}},
          {"tf32", {device, "peak dense tf32"}}};
}

std::map<std::string, Fact> with(std::map<std::string, Fact> facts, const std::map<std::string, Fact>& more) {
  facts.insert(more.begin(), more.end());
  return facts;
}

const std::map<std::string, Fact> kV100 = {{"f32", {"V100 SXM2", "peak fp32"}},
                                           {"f16", {"V100 SXM2", "peak tensor (fp16)"}},
                                           {"f64", {"V100 SXM2", "peak fp64"}},
                                           {"memory_bandwidth", {"V100-32GB DGX-1", "memory bandwidth"}}};

const std::vector<Sheet>& sheets() {
  static const std::vector<Sheet> all = {
      {"dgx1", kV100},
      {"dgx2", kV100},
      {"p3_8xlarge", kV100},
      {"dgx_a100", with(dense("A100 SXM"), {{"memory", {"A100 SXM", "memory capacity"}},
                                            {"memory_bandwidth", {"A100 80GB", "memory bandwidth"}}})},
      {"p4d", with(dense("A100 SXM"), {{"memory_bandwidth", {"A100 SXM4 40GB", "memory bandwidth"}}})},
      {"dgx_h100", with(dense("H100 SXM"), {{"f8", {"H100 SXM", "peak dense fp8"}},
                                            {"memory", {"H100 SXM", "memory capacity"}},
                                            {"memory_bandwidth", {"H100 SXM", "memory bandwidth (HBM3)"}}})},
      {"dgx_h200", with(dense("H200 SXM"), {{"f8", {"H200 SXM", "peak dense fp8"}},
                                            {"memory", {"H200 SXM", "memory capacity"}},
                                            {"memory_bandwidth", {"H200 SXM", "memory bandwidth (HBM3e)"}}})},
      {"dgx_b200", with(dense("B200 SXM"), {{"f8", {"B200 SXM", "peak dense fp8"}},
                                            {"memory", {"B200 SXM", "memory capacity"}},
                                            {"memory_bandwidth", {"B200 SXM", "memory bandwidth (HBM3e)"}}})},
      {"dgx_b300",
       {{"f32", {"B300", "peak dense fp32"}},
        {"f16", {"B300", "peak dense fp16"}},
        {"bf16", {"B300", "peak dense bf16"}},
        {"f8", {"B300", "peak dense fp8"}},
        {"memory", {"B300", "memory capacity"}},
        {"memory_bandwidth", {"B300", "memory bandwidth (HBM3e)"}}}},
      {"gb300_nvl72",
       {{"f32", {"GB300", "peak dense fp32"}},
        {"bf16", {"GB300", "peak dense bf16"}},
        {"f8", {"GB300", "peak dense fp8"}},
        {"memory", {"GB300", "memory capacity"}}}},
      {"mi300x",
       {{"f32", {"MI300X", "peak dense fp32"}},
        {"tf32", {"MI300X", "peak dense tf32"}},
        {"bf16", {"MI300X", "peak dense bf16"}},
        {"f8", {"MI300X", "peak dense fp8"}},
        {"memory", {"MI300X", "memory capacity"}},
        {"memory_bandwidth", {"MI300X", "memory bandwidth"}}}},
      {"mi325x",
       {{"bf16", {"MI300X", "peak dense bf16"}},
        {"memory", {"MI325X", "memory capacity"}},
        {"memory_bandwidth", {"MI325X", "memory bandwidth"}}}},
      {"tpu_v5p",
       {{"bf16", {"TPU v5p", "peak dense bf16"}},
        {"memory", {"TPU v5p", "memory capacity"}},
        {"memory_bandwidth", {"TPU v5p", "memory bandwidth"}}}},
      {"gaudi3",
       {{"f32", {"Gaudi 3", "peak dense fp32"}},
        {"tf32", {"Gaudi 3", "peak dense tf32"}},
        {"f16", {"Gaudi 3", "peak dense fp16"}},
        {"bf16", {"Gaudi 3", "peak dense bf16"}},
        {"memory", {"Gaudi 3", "memory capacity"}},
        {"memory_bandwidth", {"Gaudi 3", "memory bandwidth"}}}},
      {"alps_gh200", with(dense("H100 SXM"), {{"f8", {"H100 SXM", "peak dense fp8"}},
                                              {"memory", {"GH200", "memory capacity"}},
                                              {"memory_bandwidth", {"GH200", "memory bandwidth (HBM3)"}}})},
      {"ndv4_a100", with(dense("A100 SXM"), {{"memory_bandwidth", {"A100 SXM4 40GB", "memory bandwidth"}}})},
      {"pcie_l40s", with(dense("L40S"), {{"f8", {"L40S", "peak dense fp8"}},
                                         {"memory", {"L40S", "memory capacity"}},
                                         {"memory_bandwidth", {"L40S", "memory bandwidth"}}})},
      {"gb200_nvl72", with(dense("GB200 SXM"), {{"f8", {"GB200 SXM", "peak dense fp8"}},
                                                {"memory", {"GB200 SXM", "memory capacity"}},
                                                {"memory_bandwidth", {"GB200 SXM", "memory bandwidth (HBM3e)"}}})},
      {"a40_pcie",
       {{"f32", {"A40", "peak fp32 (non-tensor)"}},
        {"f16", {"A40", "peak fp16 tensor, dense"}},
        {"bf16", {"A40", "peak bf16 tensor, dense"}},
        {"tf32", {"A40", "peak tf32 tensor, dense"}},
        {"memory", {"A40", "memory"}},
        {"memory_bandwidth", {"A40", "memory bandwidth"}}}},
      {"a10_pcie",
       {{"f32", {"A10", "peak fp32"}},
        {"memory", {"A10", "memory"}},
        {"memory_bandwidth", {"A10", "memory bandwidth"}}}}};
  return all;
}

TEST(NodeRecipes, HaveTheDataSheetsOfTheFacts) {
  const test::HardwareFacts facts(test::data("hardware_facts.csv"));
  for (const auto& [topology, expected] : sheets()) {
    const Device gpu = make(topologies().get(topology, "test"), 1).devices().front();
    for (const auto& [what, fact] : expected) {
      const double ours = what == "memory"             ? gpu.memory.value()
                          : what == "memory_bandwidth" ? gpu.memory_bandwidth.value()
                                                       : gpu.peaks.at(what).value();
      EXPECT_DOUBLE_EQ(ours, facts.value(fact)) << topology << " " << what;
    }
  }
}

}  // namespace
}  // namespace foreflow::platform::node_recipes_test
