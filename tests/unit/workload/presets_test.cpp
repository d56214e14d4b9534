// Every preset has the parameters that its source says.
#include <gtest/gtest.h>

#include "foreflow/ops/table.h"
#include "foreflow/workload/preset.h"

namespace foreflow::workload::presets_test {
namespace {

std::vector<std::string> names() { return presets().names(); }

Model built(const Preset& preset, Mode mode, Json sizes = Json::object()) {
  const Json json    = with_preset(sizes.set("model", preset.name));
  const auto& family = workloads().get(preset.family, "test");
  return family.build({read_key_values(JsonView(json, "test"), family.keys), 1, ir::DType::f32, mode}, ops::table());
}

// Of the weights that are trained: running statistics are kept, not learned.
double parameters(const ir::Function& function) {
  double total = 0;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const ir::Value& value = function.values[i];
    const bool statistic   = value.name.ends_with(".mean") || value.name.ends_with(".variance");
    if (function.parameters[i] == ir::ParameterRole::weight && !statistic)
      total += static_cast<double>(ir::element_count(value.annotation->dims));
  }
  return total;
}

class EveryPreset : public testing::TestWithParam<std::string> {};

TEST_P(EveryPreset, HasThePublishedParametersToATenthOfAPercent) {
  const Preset& preset   = presets().get(GetParam(), "test");
  const ir::Module model = built(preset, Mode::training).module;
  const auto published   = static_cast<double>(preset.parameters);
  EXPECT_NEAR(parameters(model.entry()) / published, 1, 1e-3);
  EXPECT_FALSE(preset.source.empty());
}

TEST_P(EveryPreset, SaysOnlyKeysOfItsFamily) {
  const Preset& preset      = presets().get(GetParam(), "test");
  const WorkloadDef& family = workloads().get(preset.family, "test");
  EXPECT_EQ(workloads().find(preset.name), nullptr) << "a family has this name";
  EXPECT_EQ(&find_model(preset.name, "test"), &family);
  for (const auto& [name, size] : preset.sizes) {
    bool known = false;
    for (const Key& key : family.keys) known = known || key.name == name;
    EXPECT_TRUE(known) << name;
  }
}

std::string as_identifier(std::string name) {
  for (char& letter : name) letter = letter == '-' || letter == '.' ? '_' : letter;
  return name;
}

INSTANTIATE_TEST_SUITE_P(Presets, EveryPreset, testing::ValuesIn(names()),
                         [](const auto& info) { return as_identifier(info.param); });

TEST(WithPreset, KeepsWhatTheScenarioSays) {
  const Json json = with_preset(Json::object().set("model", "gpt3-175b").set("layers", 2));
  EXPECT_EQ(*json.find("layers")->if_int(), 2);
  EXPECT_EQ(*json.find("hidden")->if_int(), 12288);
  EXPECT_EQ(*json.find("model")->if_string(), "gpt3-175b");
  EXPECT_EQ(with_preset(json).dump_compact(), json.dump_compact());
}

TEST(FindModel, NamesEverySizeOfAModelThatIsNamedWithoutOne) {
  try {
    find_model("gpt2", "gpt.json: $.workload.model");
    FAIL();
  } catch (const Error& error) {
    std::string sizes;
    for (const Preset& preset : presets()) {
      if (preset.name.starts_with("gpt2-")) sizes += (sizes.empty() ? "" : ", ") + std::string(preset.name);
    }
    EXPECT_TRUE(sizes.starts_with("gpt2-124m, ")) << sizes;
    sizes.replace(sizes.rfind(", "), 2, " or ");
    EXPECT_EQ(error.problem(), "unknown model family \"gpt2\"; use " + sizes + " (see: foreflow list workloads)");
  }
}

TEST(FindModel, NamesTheNearestFamilyOrPreset) {
  try {
    find_model("llama3-70", "gpt.json: $.workload.model");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "gpt.json: $.workload.model: unknown model family \"llama3-70\"; the nearest is \"llama3-70b\" (see: "
                 "foreflow list workloads)");
  }
}

}  // namespace
}  // namespace foreflow::workload::presets_test
