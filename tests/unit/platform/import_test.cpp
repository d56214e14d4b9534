// Platforms from what tools say of a machine. The seeds of the fuzzer are the samples.
#include "foreflow/platform/import.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "foreflow/platform/describe.h"
#include "foreflow/platform/load.h"

namespace foreflow::platform::import_test {
namespace {

const std::string kSeeds = FOREFLOW_SOURCE_DIR "/tests/fuzz/seeds/import/";

Imported imported(const std::string& seed, const ImportOptions& options = {}) {
  return import_platform(read_file(kSeeds + seed), seed, options);
}

Platform machine(const std::string& seed, const ImportOptions& options = {}) {
  return load(imported(seed, options).xml, seed);
}

std::string refusal(const std::string& text, const ImportOptions& options = {}) {
  try {
    import_platform(text, "t.txt", options);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

double bandwidth(const Platform& platform, int from, int to) {
  return route_bandwidth(platform, platform.route(from, to)).value();
}

std::vector<std::string> kinds(const Platform& platform, int from, int to) {
  std::vector<std::string> all;
  for (const int link : platform.route(from, to).links) all.push_back(nth(platform.links(), link).kind);
  return all;
}

// Three GPUs, each with `links` NVLinks to a switch.
std::vector<std::string> remarks_on(int links, const std::string& device) {
  const std::string nv = "NV" + std::to_string(links);
  const std::string text =
      "GPU0 GPU1 GPU2\nGPU0 X " + nv + " " + nv + "\nGPU1 " + nv + " X " + nv + "\nGPU2 " + nv + " " + nv + " X\n";
  ImportOptions options;
  options.device = read_device(JsonView(Json(device), "--set"));
  return import_platform(text, "t.txt", options).remarks;
}

TEST(Import, RemarksThatAMatrixHasMoreNvlinksThanTheDevice) {
  EXPECT_EQ(
      remarks_on(18, "V100-SXM2-16GB"),
      std::vector<std::string>{"V100-SXM2-16GB: the matrix has 18 NVLinks of a GPU, and its data sheet at most 6, "
                               "those of generation 2; --set device=NAME says which it is"});
  EXPECT_EQ(remarks_on(12, "T4-16GB"),
            std::vector<std::string>{"T4-16GB: the matrix has 12 NVLinks of a GPU, and its data sheet none; --set "
                                     "device=NAME says which it is"});
  for (const char* device : {"H100-SXM5-80GB", "H200-SXM5-141GB", "B200-180GB"})
    EXPECT_TRUE(remarks_on(18, device).empty()) << device;
  EXPECT_TRUE(remarks_on(12, "A100-SXM4-80GB").empty());
  for (const char* seed : {"cube.txt", "dgx_a100.txt", "pcie.txt"}) EXPECT_TRUE(imported(seed).remarks.empty()) << seed;
}

TEST(Import, IsNamedWhereItsTextStandsForAPlatform) {
  for (const char* seed : {"dgx_a100.txt", "rocm.txt", "hwloc.xml", "astra.yml"}) {
    try {
      load(read_file(kSeeds + seed), seed);
      FAIL() << "accepted " << seed;
    } catch (const Error& error) {
      EXPECT_EQ(error.problem(), "has the form of " + std::string(imported(seed).format) +
                                     ", not of a platform file; foreflow platform --from " + seed +
                                     " -o FILE.xml makes one of it");
    }
  }
  EXPECT_EQ(import_format("<platform/>"), "");
}

TEST(Import, ReadsTheMatrixOfADgxA100) {
  const Imported read = imported("dgx_a100.txt");
  EXPECT_EQ(read.format, "nvidia-smi topo -m");
  const Platform platform = machine("dgx_a100.txt", {.nodes = 2});
  ASSERT_EQ(platform.devices().size(), 16u);
  EXPECT_EQ(platform.devices().front().kind, "A100-SXM4-80GB") << "twelve NVLinks";
  EXPECT_EQ(bandwidth(platform, 0, 7), 300e9) << "12 x 25 GB/s through a switch";
  EXPECT_EQ(kinds(platform, 0, 7), (std::vector<std::string>{"nvlink", "nvlink"}));
  // Two GPUs and two cards are below one bridge, so each GPU leaves by a card that is near.
  for (int gpu = 0; gpu < 8; ++gpu) {
    const Route route = platform.route(gpu, 8 + gpu);
    std::string card;
    for (const int link : route.links) {
      const std::string& name = nth(platform.links(), link).name;
      if (name.starts_with("node0-mlx5_") && name.ends_with("-port_UP")) card = name;
    }
    EXPECT_EQ(card, "node0-mlx5_" + std::to_string(gpu) + "-port_UP");
  }
  EXPECT_EQ(platform.cards().idle, 0);
}

TEST(Import, ReadsServersWithoutNvlink) {
  const Platform platform = machine("pcie.txt", {.nodes = 2});
  EXPECT_EQ(kinds(platform, 0, 1), (std::vector<std::string>{"pcie", "pcie"})) << "PIX: one switch";
  const std::vector<std::string> far = kinds(platform, 0, 2);
  EXPECT_EQ(std::count(far.begin(), far.end(), "host"), 1) << "SYS: between the sockets";
  const std::vector<std::string> out = kinds(platform, 2, 6);
  EXPECT_EQ(std::count(out.begin(), out.end(), "host"), 2) << "the only card sits at the other socket";
}

TEST(Import, CallsNoCardOfASingleNodeIdle) {
  const Platform one = machine("pcie.txt"), two = machine("pcie.txt", {.nodes = 2});
  EXPECT_EQ(one.cards_between_nodes().cards, 1);
  EXPECT_EQ(one.cards_between_nodes().idle, 0);
  EXPECT_EQ(two.cards_between_nodes().cards, 2);
  EXPECT_EQ(two.cards_between_nodes().idle, 0);
  EXPECT_EQ(describe(one).find("serve no GPU"), std::string::npos);
}

// Eight GPUs with a card nearby, and one at another socket that none of them uses.
TEST(Import, GivesNodesABisectionInProportionToTheirNumber) {
  std::string text = "GPU0 GPU1 GPU2 GPU3 GPU4 GPU5 GPU6 GPU7 NIC0 NIC1\n";
  for (int row = 0; row < 10; ++row) {
    text += row < 8 ? "GPU" + std::to_string(row) : "NIC" + std::to_string(row - 8);
    for (int column = 0; column < 10; ++column)
      text += row == column ? " X" : row == 9 || column == 9 ? " SYS" : row == 8 || column == 8 ? " PIX" : " NV12";
    text += "\n";
  }
  ImportOptions options;
  options.network = networks().find("infiniband_hdr");
  for (const int nodes : {2, 32, 34}) {  // up to 256 devices, and more
    options.nodes           = nodes;
    const Platform platform = load(import_platform(text, "t.txt", options).xml, "t.xml");
    EXPECT_EQ(platform.cards().cards, 2 * nodes);
    EXPECT_EQ(platform.cards().idle, nodes);
    EXPECT_EQ(bisection_bandwidth(platform).value(), nodes / 2 * 25e9);
  }
}

TEST(Import, ReadsPairsOfNvlinks) {
  const Platform platform = machine("cube.txt");
  EXPECT_EQ(bandwidth(platform, 0, 3), 50e9) << "NV2";
  EXPECT_EQ(bandwidth(platform, 0, 1), 25e9) << "NV1";
}

// Boards of four GPUs without a switch split the NVLinks of a GPU among the three others.
TEST(Import, GuessesDevicesByAllNvlinksOfAGpu) {
  const auto guess = [](const std::string& nv) {
    const std::string text = "GPU0 GPU1 GPU2 GPU3\nGPU0 X " + nv + " " + nv + " " + nv + "\nGPU1 " + nv + " X " + nv +
                             " " + nv + "\nGPU2 " + nv + " " + nv + " X " + nv + "\nGPU3 " + nv + " " + nv + " " + nv +
                             " X\n";
    return load(import_platform(text, "t.txt", {}).xml, "t.xml").devices().front().kind;
  };
  EXPECT_EQ(guess("NV2"), "V100-SXM2-32GB");
  EXPECT_EQ(guess("NV4"), "A100-SXM4-80GB") << "HGX A100 with four GPUs";
  EXPECT_EQ(guess("NV6"), "H100-SXM5-80GB") << "HGX H100 with four GPUs";
  EXPECT_EQ(guess("NV12"), "A100-SXM4-80GB") << "to a switch";
  EXPECT_EQ(guess("NV18"), "H100-SXM5-80GB") << "to a switch";
  EXPECT_EQ(machine("cube.txt").devices().front().kind, "V100-SXM2-32GB") << "a DGX-1";
}

TEST(Import, ReadsInfinityFabric) {
  const Platform platform = machine("rocm.txt");
  EXPECT_EQ(platform.devices().front().kind, "MI300X-192GB");
  EXPECT_EQ(kinds(platform, 0, 1), (std::vector<std::string>{"xgmi"}));
  EXPECT_EQ(kinds(platform, 0, 2).front(), "pcie");
}

TEST(Import, ReadsHwloc) {
  const Platform platform = machine("hwloc.xml", {.nodes = 2});
  EXPECT_EQ(platform.devices().size(), 4u);
  EXPECT_EQ(platform.devices().front().kind, "A100-SXM4-80GB") << "as GPUModel says";
  EXPECT_EQ(bandwidth(platform, 0, 1), 300e9) << "NVLinkBandwidth";
  const std::vector<std::string> out = kinds(platform, 0, 2);
  EXPECT_EQ(std::count(out.begin(), out.end(), "nic"), 2);
  EXPECT_EQ(std::count(out.begin(), out.end(), "host"), 0) << "the card is below the GPU's own bridge";
}

TEST(Import, ReadsNvswitchesOfHwloc) {
  const Imported read = imported("hwloc_nvswitch.xml");
  const Platform four = load(read.xml, "t.xml");
  for (int gpu = 1; gpu < 4; ++gpu) {
    EXPECT_EQ(kinds(four, 0, gpu), (std::vector<std::string>{"nvlink", "nvlink"}));
    EXPECT_EQ(bandwidth(four, 0, gpu), 250e9 + 200e9) << "both switches together";
  }
  const auto speaks_of = [&](const std::string& start) {
    return std::any_of(read.assumed.begin(), read.assumed.end(),
                       [&](const std::string& what) { return what.starts_with(start); });
  };
  EXPECT_TRUE(speaks_of("NVSwitch: the 2 switches of the file are one"));
  EXPECT_FALSE(speaks_of("links "));
}

// GPUs of POWER9 have NVLinks to each other and to their CPU, and hwloc may list them in another order than its tree.
TEST(Import, ReadsNvlinksOfHwlocByTheNumbersOfGpusAndLeavesCpusOut) {
  std::string text = read_file(kSeeds + "hwloc_nvswitch.xml");
  text.resize(text.find("  <distances2hetero"));
  text +=
      "<distances2hetero nbobjs=\"5\" name=\"NVLinkBandwidth\" indexing=\"gp\">"
      "<indexes>OSDev:20 OSDev:22 OSDev:21 OSDev:23 Package:2 </indexes><u64values>"
      "9 75000 0 0 75000  75000 9 0 0 0  0 0 9 50000 0  0 0 50000 9 0  75000 0 0 0 9 </u64values>"
      "</distances2hetero></topology>";
  const Imported read = import_platform(text, "t.xml", {});
  const Platform four = load(read.xml, "t.xml");
  EXPECT_EQ(bandwidth(four, 0, 2), 75e9);
  EXPECT_EQ(bandwidth(four, 1, 3), 50e9);
  EXPECT_EQ(kinds(four, 0, 1).front(), "pcie");
  EXPECT_EQ(std::count(read.assumed.begin(), read.assumed.end(),
                       "links to what is neither a GPU nor a switch, such as CPUs: left out, up to 75 GB/s of a GPU; "
                       "these messages take PCIe"),
            1);
}

TEST(Import, ReadsNetworksOfAstraSim) {
  const Platform platform = machine("astra.yml");
  ASSERT_EQ(platform.devices().size(), 16u);
  EXPECT_EQ(bandwidth(platform, 0, 1), 200e9) << "the ring";
  EXPECT_NEAR(platform.route(0, 2).latency.value(), 2 * 50e-9, 1e-15) << "two steps of the ring";
  EXPECT_EQ(bandwidth(platform, 0, 4), 100e9) << "the pair";
  EXPECT_NEAR(platform.route(0, 8).latency.value(), 2 * 2000e-9, 1e-15) << "up to the switch and down";
  EXPECT_EQ(platform.nodes(), 4);
  EXPECT_EQ(machine("astra.json").devices().size(), 16u);
}

// As a terminal shows it, and as it looks where the escape characters were lost on the way.
TEST(Import, ReadsAMatrixWithAndWithoutTheEscapesOfItsColours) {
  for (const std::string escape : {"\x1b", ""}) {
    const std::string text = "\t" + escape + "[4mGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID" + escape +
                             "[0m\nGPU0\t X \tPHB\t0-31\t0\t\tN/A\nGPU1\tPHB\t X \t0-31\t0\t\tN/A\n";
    const Imported read = import_platform(text, "t.txt", {});
    EXPECT_EQ(read.format, "nvidia-smi topo -m");
    EXPECT_EQ(load(read.xml, "t.xml").devices().size(), 2u);
  }
}

TEST(Import, ReadsListsOfYamlInLinesOfTheirOwn) {
  const std::string text =
      "topology:  # of each dimension\n  - Switch\n  - Ring\nnpus_count:\n- 8\n- 4\nbandwidth:\n  - 400\n  - 50.0\n"
      "latency: [500, 700]\n";
  const Platform platform = load(import_platform(text, "t.yml", {}).xml, "t.xml");
  ASSERT_EQ(platform.devices().size(), 32u);
  EXPECT_EQ(bandwidth(platform, 0, 1), 400e9);
  EXPECT_EQ(bandwidth(platform, 0, 8), 50e9);
  EXPECT_EQ(refusal("topology:\n  - Ring\nnpus_count:\n  - 8\n  - 2\nbandwidth: 1\nlatency: 1\n"),
            "t.txt: npus_count has 2 numbers for 1 dimensions; give one for each");
}

std::string device_of(const std::string& model, std::vector<std::string>& assumed) {
  std::string text     = read_file(kSeeds + "hwloc.xml");
  const std::string of = "NVIDIA A100-SXM4-80GB";
  for (size_t at = text.find(of); at != std::string::npos; at = text.find(of, at + model.size()))
    text.replace(at, of.size(), model);
  const Imported read = import_platform(text, "t.xml", {});
  for (const std::string& line : read.assumed) {
    if (line.starts_with("device: ")) assumed.push_back(line);
  }
  return load(read.xml, "t.xml").devices().front().kind;
}

// What drivers call them, by what nvidia-smi -L and rocm-smi print.
TEST(Import, KnowsGpusByTheNamesOfTheirDrivers) {
  const std::vector<std::pair<std::string, std::string>> names = {{"NVIDIA H100 80GB HBM3", "H100-SXM5-80GB"},
                                                                  {"NVIDIA H100 PCIe", "H100-PCIE-80GB"},
                                                                  {"NVIDIA H100 NVL", "H100-NVL-94GB"},
                                                                  {"NVIDIA H200", "H200-SXM5-141GB"},
                                                                  {"NVIDIA H20", "H20-96GB"},
                                                                  {"NVIDIA GH200 480GB", "GH200-96GB"},
                                                                  {"NVIDIA B200", "B200-180GB"},
                                                                  {"NVIDIA GB200", "GB200-186GB"},
                                                                  {"NVIDIA A100 80GB PCIe", "A100-PCIE-80GB"},
                                                                  {"NVIDIA A100-SXM4-40GB", "A100-SXM4-40GB"},
                                                                  {"NVIDIA A10", "A10-24GB"},
                                                                  {"NVIDIA A10G", "A10G-24GB"},
                                                                  {"NVIDIA L4", "L4-24GB"},
                                                                  {"NVIDIA L40S", "L40S-48GB"},
                                                                  {"NVIDIA GeForce RTX 4090", "RTX-4090-24GB"},
                                                                  {"Tesla T4", "T4-16GB"},
                                                                  {"Tesla V100-SXM2-32GB", "V100-SXM2-32GB"},
                                                                  {"Tesla V100-PCIE-16GB", "V100-PCIE-16GB"},
                                                                  {"AMD Instinct MI300X", "MI300X-192GB"}};
  for (const auto& [model, device] : names) {
    std::vector<std::string> assumed;
    EXPECT_EQ(device_of(model, assumed), device) << model;
  }
  std::vector<std::string> exact, near, other;
  device_of("NVIDIA A100-SXM4-40GB", exact);
  EXPECT_TRUE(exact.empty());
  device_of("NVIDIA H100 PCIe", near);
  EXPECT_EQ(near, std::vector<std::string>{
                      "device: H100-PCIE-80GB, taken for \"NVIDIA H100 PCIe\"; --set device=NAME says which it is"});
  for (const std::string unknown : {"NVIDIA GeForce RTX 3090", "NVIDIA L40", "NVIDIA RTX A6000"}) {
    other.clear();
    device_of(unknown, other);
    EXPECT_EQ(other, std::vector<std::string>{"device: A100-PCIE-80GB, as there is no data sheet of \"" + unknown +
                                              "\"; --set device=NAME says which it is"});
  }
}

TEST(Import, SaysWhatItAssumesInTheFileToo) {
  for (const auto& entry : std::filesystem::directory_iterator(kSeeds)) {
    const Imported read = imported(entry.path().filename().string());
    ASSERT_FALSE(read.assumed.empty()) << entry.path();
    // "--" stands in no comment of XML.
    for (const std::string& what : read.assumed) {
      const std::string said = what.substr(0, what.find("--"));
      EXPECT_NE(read.xml.find("assumed: " + said), std::string::npos) << entry.path() << ": " << what;
    }
    EXPECT_FALSE(describe(load(read.xml, "x")).empty());
  }
}

TEST(Import, TakesTheWordOfTheUser) {
  ImportOptions options;
  options.device.sheet = devices().get("H200-SXM5-141GB", "test").sheet;
  options.network      = networks().find("infiniband_ndr");
  options.nodes        = 3;
  const Imported read  = imported("dgx_a100.txt", options);
  for (const std::string& what : read.assumed) {
    EXPECT_FALSE(what.starts_with("device")) << what;
    EXPECT_FALSE(what.starts_with("network")) << what;
  }
  const Platform platform = load(read.xml, "x");
  EXPECT_EQ(platform.devices().back().kind, "H200-SXM5-141GB");
  EXPECT_EQ(bandwidth(platform, 0, 8), 50e9);
}

TEST(Import, RefusesInOneLineWhatContradictsItself) {
  EXPECT_NE(refusal("hello").find("t.txt: is in no format that is known; give the text of nvidia-smi topo -m"),
            std::string::npos);
  EXPECT_EQ(refusal("\tGPU0\tGPU1\nGPU0\t X \tPIX\nGPU1\tSYS\t X \n"),
            "t.txt: GPU0 to GPU1 differs from the way back; check the matrix");
  EXPECT_EQ(refusal("\tGPU0\tGPU1\nGPU0\t X \tPIX\n"), "t.txt: the matrix has no row of GPU1");
  EXPECT_EQ(refusal("\tGPU0\tGPU1\nGPU0\t X \tPIY\nGPU1\tPIX\t X \n"),
            "t.txt:2: \"PIY\" of GPU0 and GPU1 is none of NV1, NV2, ..., PIX, PXB, PHB, NODE, SYS");
  EXPECT_NE(refusal("\tGPU0\tGPU1\tGPU2\nGPU0\t X \tPIX\tSYS\nGPU1\tPIX\t X \tPIX\nGPU2\tSYS\tPIX\t X \n")
                .find("are said to be farther from each other"),
            std::string::npos);
  EXPECT_NE(refusal("<topology></topology>").find("has no GPU"), std::string::npos);
  EXPECT_NE(refusal("<topology>").find("t.txt:1:"), std::string::npos);
  EXPECT_NE(refusal("topology: [ Ring ]\nnpus_count: [ 4, 2 ]\nbandwidth: [ 1 ]\nlatency: [ 1 ]\n")
                .find("npus_count has 2 numbers for 1 dimensions"),
            std::string::npos);
  EXPECT_NE(refusal("topology: [ Star ]\nnpus_count: [ 4 ]\nbandwidth: [ 1 ]\nlatency: [ 1 ]\n")
                .find("use Ring, FullyConnected or Switch"),
            std::string::npos);
  EXPECT_NE(refusal("topology: [ FC ]\nnpus_count: [ 60000 ]\nbandwidth: [ 1 ]\nlatency: [ 1 ]\n").find("too many"),
            std::string::npos);
  EXPECT_NE(refusal("topology: [ FC ]\nnpus_count: [ 4 ]\nbandwidth: [ 1 ]\nlatency: [ 1 ]\n", {.nodes = 2})
                .find("leave out --nodes"),
            std::string::npos);
}

}  // namespace
}  // namespace foreflow::platform::import_test
