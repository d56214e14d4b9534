#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "foreflow/base/error.h"
#include "foreflow/platform/data_sheet.h"
#include "foreflow/platform/load.h"
#include "support/recipe_text.h"

namespace foreflow::platform::data_sheets_test {
namespace {

DeviceChange read(const std::string& text, const std::string& file = "c.json") {
  const Json json = parse_json(text, file);
  return read_device(JsonView(json, file, "$.platform.device"));
}

std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

// A folder that is gone after the test.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / "foreflow_data_sheets_test") {
    std::filesystem::create_directory(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }
  std::string scenario() const { return (path_ / "scenario.json").string(); }

 private:
  std::filesystem::path path_;
};

TEST(DataSheets, AllSayWhereTheirNumbersAreFromAndHaveAPeakInF32First) {
  EXPECT_GE(devices().size(), 29u);
  for (const DeviceDef& device : devices()) {
    const DataSheet& sheet = device.sheet;
    EXPECT_FALSE(sheet.sources.empty()) << device.name;
    ASSERT_FALSE(sheet.peaks.empty()) << device.name;
    EXPECT_EQ(sheet.peaks.front().first, "f32") << device.name;
    EXPECT_GT(sheet.memory.value(), 0) << device.name;
    EXPECT_GT(sheet.memory_bandwidth.value(), 0) << device.name;
    std::set<std::string> types;
    for (const auto& [dtype, peak] : sheet.peaks) {
      EXPECT_TRUE(types.insert(dtype).second) << device.name;
      EXPECT_GT(peak.value(), 0) << device.name;
    }
  }
}

TEST(DataSheets, AreNamedInRecipesAndReplaceTheDeviceOfTheNode) {
  const Device device =
      test::machine(R"({"topology": "dgx_a100", "nodes": 1, "device": "H200-SXM5-141GB"})").devices()[3];
  EXPECT_EQ(device.kind, "H200-SXM5-141GB");
  EXPECT_EQ(device.memory.value(), 141e9);
  EXPECT_EQ(device.peak("bf16").value(), 989e12);
  EXPECT_EQ(device.name, "node0-gpu3");
  EXPECT_EQ(device.rail, 3);
}

TEST(DataSheets, OverrideSingleNumbers) {
  const Platform platform = test::machine(
      R"({"topology": "dgx_a100", "nodes": 1,
          "device": {"memory_bandwidth": "4.8TBps", "memory": "141GB", "peak_bf16": "989Tf"}})");
  const Device device = platform.devices().front();
  EXPECT_EQ(device.memory_bandwidth.value(), 4.8e12);
  EXPECT_EQ(device.memory.value(), 141e9);
  EXPECT_EQ(device.peak("bf16").value(), 989e12);
  EXPECT_EQ(device.peak("f16").value(), 312e12);
  EXPECT_EQ(device.kind, "A100-SXM4-80GB (changed)") << "no cost table of an A100 may price it";
}

TEST(DataSheets, KeepTheirNameWhereOnlyTheMemoryChanges) {
  const DataSheet& sheet = devices().get("MI300X-192GB", "test").sheet;
  EXPECT_EQ(changed(read(R"({"memory": "100GB"})"), sheet).kind, "MI300X-192GB");
  EXPECT_EQ(changed(read(R"({"name": "Mine", "launch": "2us"})"), sheet).kind, "Mine");
  EXPECT_EQ(changed(read(R"({"name": "L4-24GB", "launch": "2us"})"), sheet).kind, "L4-24GB (changed)");
  EXPECT_EQ(changed(read(R"({"peak_f8": "4000Tf"})"), devices().get("T4-16GB", "test").sheet).peaks.back().first, "f8");
}

// GB are powers of 1000, as on data sheets, and GiB powers of 1024, in scenarios and in platform files alike.
TEST(DataSheets, TakeCapacitiesAsTheyAreWritten) {
  for (const auto& [text, bytes] :
       {std::pair("80GB", 80e9), {"80GiB", 80.0 * 1024 * 1024 * 1024}, {"81559MiB", 85520809984.0}}) {
    const std::string json =
        R"({"topology": "dgx_h100", "nodes": 1, "device": {"memory": ")" + std::string(text) + "\"}}";
    EXPECT_EQ(test::machine(json).devices().front().memory.value(), bytes) << text;
    std::string xml = write_xml(test::recipe(json));
    EXPECT_EQ(load(xml, "written.xml").devices().front().memory.value(), bytes) << text;
    const size_t begin = xml.find("value=\"", xml.find("id=\"memory\"")) + 7, end = xml.find('"', begin);
    xml.replace(begin, end - begin, text);
    EXPECT_EQ(load(xml, "own.xml").devices().front().memory.value(), bytes) << text;
  }
}

TEST(DataSheets, TellWhatWasChanged) {
  EXPECT_EQ(unchanged_kind("L4-24GB (changed)"), "L4-24GB");
  EXPECT_EQ(unchanged_kind("L4-24GB"), "L4-24GB");
  EXPECT_EQ(unchanged_kind(" (changed)"), "");
}

TEST(DataSheets, AreReadFromFilesOfUsers) {
  const Folder folder;
  folder.write("chip.json", R"({"name": "Chip", "memory": "96GB", "memory_bandwidth": "3TBps", "peak_f32": "50Tf",
                                "peak_bf16": "500Tf", "source": ["a", "b"]})");
  const DeviceChange change = read(R"("chip.json")", folder.scenario());
  ASSERT_TRUE(change.sheet);
  EXPECT_EQ(change.sheet->kind, "Chip");
  EXPECT_EQ(change.sheet->launch.value(), 10e-6);
  EXPECT_EQ(change.sheet->sources, (std::vector<std::string>{"a", "b"}));
  const DeviceChange more = read(R"({"name": "chip.json", "memory": "48GB"})", folder.scenario());
  EXPECT_EQ(changed(more, DataSheet{}).memory.value(), 48e9);
  folder.write("bad.json", R"({"name": "Chip", "memory": "96GB", "memory_bandwidth": "3TBps"})");
  try {
    read(R"("bad.json")", folder.scenario());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "the key \"peak_f32\" is missing");
  }
}

TEST(DataSheets, RefuseWhatIsNone) {
  EXPECT_EQ(
      refusal(R"("H20-96G")"),
      "c.json: $.platform.device: no data sheet has the name \"H20-96G\"; the nearest is \"H20-96GB\"; see foreflow "
      "list devices, or name a FILE.json with a data sheet");
  EXPECT_EQ(read(R"("H200")").sheet->kind, "H200-SXM5-141GB") << "the only one";
  EXPECT_EQ(refusal(R"("A100")"),
            "c.json: $.platform.device: \"A100\" is no single device; use A100-SXM4-40GB, A100-SXM4-80GB or "
            "A100-PCIE-80GB");
  EXPECT_EQ(refusal(R"({"memory": "0GB"})"), "c.json: $.platform.device.memory: must be above zero, like \"80GB\"");
  EXPECT_NE(refusal(R"({"memory": 80})").find("$.platform.device.memory"), std::string::npos);
  EXPECT_NE(refusal(R"({"peak_bf1": "1Tf"})").find("peak_bf16"), std::string::npos);
  EXPECT_NE(refusal(R"({})").find("changes nothing"), std::string::npos);
  EXPECT_NE(refusal(R"(["A100-SXM4-80GB"])").find("$.platform.device"), std::string::npos);
  EXPECT_NE(refusal(R"("nowhere.json")").find("nowhere.json"), std::string::npos);
}

TEST(DataSheets, ReplaceTheDevicesOfAFile) {
  const Platform before = load_file(FOREFLOW_SOURCE_DIR "/platforms/two_sites.xml");
  const Platform after  = with_devices(before, read(R"("GB300-288GB")"));
  ASSERT_EQ(after.devices().size(), before.devices().size());
  for (size_t i = 0; i < after.devices().size(); ++i) {
    EXPECT_EQ(after.devices()[i].kind, "GB300-288GB");
    EXPECT_EQ(after.devices()[i].name, before.devices()[i].name);
    EXPECT_EQ(after.devices()[i].node, before.devices()[i].node);
  }
  EXPECT_EQ(after.route(0, 5).links, before.route(0, 5).links);
}

}  // namespace
}  // namespace foreflow::platform::data_sheets_test
