// CPUs of hosts: their ratings, how a platform names them, and how long their threads take.
#include <gtest/gtest.h>

#include <string>

#include "foreflow/platform/cpu.h"
#include "foreflow/platform/load.h"
#include "foreflow/platform/recipe.h"

namespace foreflow::platform::cpus_test {
namespace {

Cpu cpu(const std::string& name) { return cpu_named(name, "test"); }

std::string refusal(const std::string& json) {
  try {
    read_cpu(JsonView(parse_json(json, "cpu.json"), "cpu.json"));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

Recipe recipe(const std::string& keys) {
  const Json json = parse_json(R"({"topology": "dgx_a100")" + keys + "}", "recipe.json");
  return read_recipe(JsonView(json, "recipe.json"));
}

TEST(Cpus, OfOneCoreAreRatedByTheirClocks) {
  EXPECT_DOUBLE_EQ(cpu("EPYC-7742").rating / cpu("EPYC-7V12").rating, 3.4 / 3.3);
  EXPECT_DOUBLE_EQ(cpu("Xeon-E5-2698v4").rating / cpu("Xeon-E5-2686v4").rating, 3.6 / 3.0);
}

// CPU_SINGLETHREAD of data/aws/c6a.metal/passmark/stdout (SpareCores/sc-inspector-data).
TEST(Cpus, ThatWereMeasuredHaveTheirScore) { EXPECT_NEAR(cpu("EPYC-7R13").rating, 2743.92, 0.05); }

TEST(Cpus, TakeTheInverseOfTheirRatings) {
  EXPECT_DOUBLE_EQ(time_ratio(cpu("1000"), cpu("1500")), 1.5);
  EXPECT_DOUBLE_EQ(time_ratio(cpu("Grace"), cpu("Grace")), 1);
  EXPECT_DOUBLE_EQ(time_ratio(cpu("1000"), cpu("1500")) * time_ratio(cpu("1500"), cpu("1000")), 1);
}

TEST(Cpus, ThatAreUnknownTakeAsLong) {
  EXPECT_EQ(time_ratio({}, cpu("Grace")), 1);
  EXPECT_EQ(time_ratio(cpu("Grace"), {}), 1);
}

TEST(Cpus, AreReadByNameOrRating) {
  EXPECT_EQ(read_cpu(JsonView(parse_json("2500", "cpu.json"), "cpu.json")).rating, 2500);
  EXPECT_EQ(read_cpu(JsonView(parse_json("\"Grace\"", "cpu.json"), "cpu.json")), cpu("Grace"));
}

TEST(Cpus, AreRefusedWhereNobodyKnowsThem) {
  EXPECT_NE(refusal("\"EPYC-7743\"").find("the nearest is \"EPYC-7742\""), std::string::npos)
      << refusal("\"EPYC-7743\"");
  EXPECT_NE(refusal("0").find("no rating of a CPU"), std::string::npos);
  EXPECT_NE(refusal("-2500").find("no rating of a CPU"), std::string::npos);
  EXPECT_NE(refusal("\"1e9\"").find("no rating of a CPU"), std::string::npos);
  EXPECT_NE(refusal("true").find("number"), std::string::npos);
}

TEST(Cpus, AreThoseOfTheMakerUnlessTheRecipeSaysOthers) {
  EXPECT_EQ(make(recipe("")).devices().front().cpu, cpu("EPYC-7742"));
  EXPECT_EQ(make(recipe(R"(, "cpu": "Grace")")).devices().front().cpu, cpu("Grace"));
  EXPECT_EQ(make(recipe(R"(, "device": "H100-SXM5-80GB")")).devices().front().cpu, cpu("EPYC-7742"));
}

TEST(Cpus, AreTheSameInTheFileOfARecipe) {
  for (const std::string keys : {"", R"(, "cpu": "Grace")", R"(, "cpu": 2500)"}) {
    const Recipe wanted   = recipe(keys);
    const Platform loaded = load(write_xml(wanted), "written.xml");
    EXPECT_EQ(loaded.devices().front().cpu, make(wanted).devices().front().cpu) << keys;
  }
}

TEST(Cpus, OfAFileCanBeSaid) {
  DevicePlan plan         = {{"*", {}, 1}};
  plan.front().device.cpu = cpu("Grace");
  const Platform loaded   = load(write_xml(recipe("")), "written.xml", plan);
  EXPECT_EQ(loaded.devices().back().cpu, cpu("Grace"));
  EXPECT_EQ(loaded.devices().back().kind, "A100-SXM4-80GB");
}

TEST(Cpus, ThatDifferMakeDifferentDevices) {
  const Device fast = make(recipe(R"(, "cpu": "Grace")")).devices().front();
  EXPECT_FALSE(same_speed(fast, make(recipe("")).devices().front()));
}

TEST(Cpus, OfAFileAreRefusedAtTheirHost) {
  std::string xml = write_xml(recipe(""));
  xml.replace(xml.find("value=\"EPYC-7742\""), 17, "value=\"EPYC-9999\"");
  EXPECT_THROW(load(xml, "bad.xml"), Error);
}

}  // namespace
}  // namespace foreflow::platform::cpus_test
