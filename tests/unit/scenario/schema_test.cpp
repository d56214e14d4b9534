// The JSON Schema of a scenario against the scenarios that are here, and against the reader.
#include "foreflow/scenario/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "foreflow/base/text.h"
#include "foreflow/scenario/scenario.h"
#include "foreflow/workload/workload.h"
#include "support/json_schema.h"

namespace foreflow::scenario::schema_test {
namespace {

using test::violation;
using testing::HasSubstr;
using testing::StartsWith;

const Json& schema() {
  static const Json all = json_schema();
  return all;
}

// Every file that the command takes as a scenario.
std::vector<std::string> scenario_files() {
  std::vector<std::string> files;
  for (const char* folder : {"scenarios", "tests/published", "tests/fuzz/seeds/scenario"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(FOREFLOW_SOURCE_DIR "/") + folder)) {
      const bool is_plan = entry.path().parent_path().filename() == "plans";
      if (entry.path().extension() != ".json" || is_plan) continue;
      const Json json = parse_json(read_file(entry.path().string()), entry.path().string());
      if (json.find("platform") != nullptr) files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Has a value for each part, with lists of its own where there may be any.
Json rich() {
  return parse_json(R"json({
    "name": "all",
    "workload": {"model": "gpt", "layers": 4, "hidden": 64, "heads": 4, "dtype": "bf16", "mode": "training"},
    "platform": {"topology": "dgx_a100", "nodes": 2, "fabric": "fat_tree2", "oversubscription": 2,
                 "links": {"nic": {"bandwidth": "25GBps", "latency": "2us", "efficiency": 0.9}}},
    "strategy": {"dp": 2, "tp": [1, 2], "pp": "any", "schedule": "1f1b", "zero": 1, "bucket_size": "25MB",
                 "recompute": "block(2)", "tensor_plan": {"h.*.attn.weight": 1}, "stage_shares": "1:1"},
    "cost": {"model": "distir", "throughput": "14Tf", "send_overhead": {"2": "1ms"}},
    "host": {"kernel": "10us", "microbatch": ["1ms", "2ms"], "wait_for_messages": true, "graphs": false},
    "collective": {"all_reduce": "ring", "start": "10us", "tp": {"all_reduce": "tree"}},
    "placement": {"policy": "packed", "devices": [0, "node0-gpu1", "2-15"], "order": "tp-pp-dp"},
    "engine": "simgrid",
    "network": {"coupling": "auto"},
    "memory": {"allocator": "caching"},
    "disturbances": {"slowdowns": [{"device": "node0-gpu0", "factor": 1.2, "from": "0s", "until": "10s"}],
                     "jitter": {"amplitude": 0.05, "seed": 1},
                     "links": [{"link": "l", "changes": [{"at": "1s", "factor": 0}]}],
                     "background": [{"from": "a", "to": "b", "bytes": "100GB", "period": "1s"}]},
    "jobs": [{"name": "a", "start": "1s", "iterations": 2, "strategy": {"dp": 2}, "placement": "spread"}]
})json",
                    "rich");
}

// `json` with the key at `number` in the order of the text renamed; counts the keys that it passes. Names in a map are
// no keys.
bool rename_key(Json& json, size_t& number, std::string& path) {
  if (const Json::Array* items = json.if_array()) {
    for (size_t i = 0; i < items->size(); ++i) {
      if (rename_key(const_cast<Json&>((*items)[i]), number, path)) return true;
    }
  }
  const Json::Object* members = json.if_object();
  if (members == nullptr) return false;
  const bool is_map = path.ends_with(".links") || path.ends_with(".tensor_plan") || path.ends_with(".shapes") ||
                      path.ends_with(".dims");
  for (size_t i = 0; i < members->size(); ++i) {
    auto& [key, value]      = const_cast<Json::Object&>(*members)[i];
    const std::string outer = path;
    path += "." + key;
    if (!(is_map && !path.starts_with(".disturbances")) && number-- == 0) {
      key += "x";
      return true;
    }
    if (rename_key(value, number, path)) return true;
    path = outer;
  }
  return false;
}

TEST(JsonSchema, TakesEveryScenarioThatIsHere) {
  const std::vector<std::string> files = scenario_files();
  EXPECT_GT(files.size(), 30u);
  for (const std::string& file : files) EXPECT_EQ(violation(schema(), parse_json(read_file(file), file)), "") << file;
}

TEST(JsonSchema, RefusesEveryMisspeltKey) {
  std::vector<Json> all = {rich()};
  for (const std::string& file : scenario_files()) all.push_back(parse_json(read_file(file), file));
  for (const Json& whole : all) {
    ASSERT_EQ(violation(schema(), whole), "");
    for (size_t number = 0;; ++number) {
      Json misspelt = whole;
      size_t left   = number;
      std::string path;
      if (!rename_key(misspelt, left, path)) break;
      EXPECT_NE(violation(schema(), misspelt), "") << path;
    }
  }
}

// The scenario `rich` with one value another.
std::string refusal(const std::string& setting) {
  Json json = rich();
  override_with(json, setting);
  return violation(schema(), json);
}

TEST(JsonSchema, RefusesValuesOfAWrongKind) {
  EXPECT_THAT(refusal("strategy.dp=0"), StartsWith("$.strategy.dp"));
  EXPECT_THAT(refusal("strategy.tp=two"), StartsWith("$.strategy.tp"));
  EXPECT_THAT(refusal("strategy.tp=[1, \"two\"]"), HasSubstr("$.strategy.tp"));
  EXPECT_THAT(refusal("strategy.tp=[]"), StartsWith("$.strategy.tp"));
  EXPECT_THAT(refusal("strategy.schedule=2f2b"), StartsWith("$.strategy.schedule"));
  EXPECT_THAT(refusal("strategy.recompute=block(0)"), StartsWith("$.strategy.recompute"));
  EXPECT_THAT(refusal("strategy.global_batch=\"any\""), StartsWith("$.strategy.global_batch"));
  EXPECT_THAT(refusal("strategy.bucket_size=25"), StartsWith("$.strategy.bucket_size"));
  EXPECT_THAT(refusal("engine=simgird"), StartsWith("$.engine"));
  EXPECT_THAT(refusal("cost.model=rooflin"), HasSubstr("$.cost"));
  EXPECT_THAT(refusal("platform.links.nic.bandwidth=25GB"), HasSubstr("$.platform.links.nic.bandwidth"));
  EXPECT_THAT(refusal("disturbances.jitter.amplitude=1"), HasSubstr("$.disturbances.jitter.amplitude"));
  EXPECT_THAT(refusal("workload.experts=8"), HasSubstr("$.workload"));
  EXPECT_THAT(refusal("platform.pod_nodes=8"), HasSubstr("$.platform"));
}

TEST(JsonSchema, TakesAnyForWhatASearchVaries) {
  for (const char* setting : {"strategy.pp=any", "placement.order=any", "placement=any"})
    EXPECT_EQ(refusal(setting), "");
}

TEST(JsonSchema, TakesUnitsAsTheReaderDoes) {
  for (const char* size : {"25MB", "25 MB", "2.5e7B", ".5GiB", "1Gb"}) {
    EXPECT_EQ(refusal(std::string("strategy.bucket_size=") + size), "");
    EXPECT_GT(parse_bytes(size, "test").value(), 0);
  }
  for (const char* size : {"25", "MB", "-25MB", "25mB", "25MBps"}) {
    EXPECT_NE(refusal(std::string("strategy.bucket_size=\"") + size + "\""), "") << size;
    EXPECT_THROW(parse_bytes(size, "test"), Error);
  }
}

Json two_sites() {
  return parse_json(R"({"sites": [{"topology": "dgx2"}, {"topology": "dgx2"}],
                        "wan": {"bandwidth": "1GBps", "latency": "1ms"}})",
                    "s.json");
}

// The reader names an unknown key of each part with the nearest that there is; a key of the rows is never unknown.
TEST(JsonSchema, HasTheKeysOfTheReader) {
  for (const KeySection& section : key_sections()) {
    if (section.path.find_first_of("[*") != std::string::npos || section.path == "disturbances.jitter") continue;
    for (const KeyDef& key : section.keys) {
      Json json = parse_json(
          R"({"workload": {"model": "mlp", "layers": 4, "hidden": 64}, "platform": {"topology": "dgx2"}})", "s.json");
      if (section.path == "platform.wan") json.set("platform", two_sites());
      override_with(json, path_of(section, key) + "x=1");
      try {
        load(json, "s.json");
        ADD_FAILURE() << path_of(section, key) << "x is taken";
      } catch (const Error& error) {
        EXPECT_THAT(std::string(error.what()), HasSubstr("unknown key \"" + key.name + "x\""));
      }
    }
  }
}

TEST(Keys, AreDescribed) {
  for (const KeySection& section : key_sections()) {
    for (const KeyDef& key : section.keys) {
      EXPECT_FALSE(key.doc.empty()) << path_of(section, key);
      EXPECT_FALSE(key.type.words.empty()) << path_of(section, key);
      EXPECT_NE(key.type.schema.json().dump_compact(), "{}") << path_of(section, key);
    }
  }
}

// Families share names of keys, such as `context`, but not what is meant by them, nor their defaults.
TEST(Keys, OfFamiliesSayTheMeaningAndTheDefaultOfEachFamily) {
  const KeySection& section = *std::find_if(key_sections().begin(), key_sections().end(),
                                            [](const auto& one) { return one.path == "workload"; });
  const auto row            = [&](std::string_view name) {
    return *std::find_if(section.keys.begin(), section.keys.end(), [&](const KeyDef& key) { return key.name == name; });
  };
  for (const workload::WorkloadDef& family : workload::workloads()) {
    for (const workload::Key& key : family.keys) {
      SCOPED_TRACE(std::string(family.name) + ": " + std::string(key.name));
      const std::string named = "`" + std::string(family.name) + "`", otherwise = row(key.name).otherwise;
      const std::string doc = row(key.name).doc;
      EXPECT_THAT(doc.substr(doc.find(named) + 1), HasSubstr(": " + std::string(key.doc)));
      const std::string words = in_words(key.fallback);
      EXPECT_THAT(otherwise == words ? ": " + words : otherwise.substr(otherwise.find(named) + 1),
                  HasSubstr(": " + words));
    }
  }
  EXPECT_EQ(
      row("context").otherwise,
      "`gpt`: sequence - 1; `llama` or `moe`: sequence; `t5`: target_sequence; `unet`: those of the smallest image");
  EXPECT_EQ(row("experts").otherwise, "8") << "of one family alone";
}

}  // namespace
}  // namespace foreflow::scenario::schema_test
