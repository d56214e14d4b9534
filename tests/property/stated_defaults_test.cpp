// A default that is stated changes nothing: neither what is predicted, nor what a search finds or refuses.
#include <gtest/gtest.h>

#include "foreflow/ops/table.h"
#include "foreflow/scenario/run.h"
#include "foreflow/search/search.h"
#include "foreflow/workload/workload.h"

namespace foreflow::search::stated_defaults_test {
namespace {

using workload::FilledValues;
using workload::Key;
using workload::KeyValues;

Json value_of(const FilledValues& values, const Key& key) {
  switch (key.kind) {
    case Key::Kind::integer: return values.integer(key.name);
    case Key::Kind::number: return values.number(key.name);
    case Key::Kind::boolean: return values.flag(key.name);
    case Key::Kind::word: break;
  }
  return values.word(key.name);
}

bool has_default(const Key& key) { return !std::holds_alternative<std::monostate>(key.fallback); }

// The workload, and with it the defaults of all keys that it leaves out. Training has no phase.
struct Pair {
  Json bare, stated;
};
Pair pair_of(const workload::WorkloadDef& family, const Json& bare) {
  const KeyValues values = read_key_values(JsonView(bare, "bare.json"), family.keys);
  const bool trains      = *bare.find("mode")->if_string() == "training";
  Pair pair{bare, bare};
  for (const Key& key : family.keys) {
    const bool is_legal = has_default(key) && !(trains && key.name == "phase");
    if (is_legal && !values.has(key.name)) pair.stated.set(key.name, value_of({family.keys, values}, key));
  }
  return pair;
}

// A family with no size, in training or inference; and in bf16 or fp8.
struct Case {
  std::string family, mode, dtype;
};

Pair pair_of(const Case& one) {
  Json bare = Json::object().set("model", one.family).set("mode", one.mode).set("dtype", one.dtype);
  return pair_of(workload::workloads().get(one.family, "test"), bare);
}

Json question(const Json& workload, const char* strategy) {
  Json asked = parse_json(R"({"platform": {"topology": "dgx_h100"}, "engine": "analytic", "placement": "packed"})", "");
  return asked.set("workload", workload).set("strategy", parse_json(strategy, "strategy"));
}

class StatedDefaults : public testing::TestWithParam<Case> {};

TEST_P(StatedDefaults, AreTheValuesThatHoldWithoutThem) {
  const workload::WorkloadDef& family = workload::workloads().get(GetParam().family, "test");
  const Json bare                     = pair_of(GetParam()).bare;
  const KeyValues none                = read_key_values(JsonView(bare, "bare.json"), family.keys);
  const FilledValues expected(family.keys, none);
  for (const Key& stated : family.keys) {
    if (!has_default(stated)) continue;
    const Json json      = Json(bare).set(stated.name, value_of(expected, stated));
    const KeyValues some = read_key_values(JsonView(json, "stated.json"), family.keys);
    const FilledValues values(family.keys, some);
    for (const Key& key : family.keys) {
      EXPECT_EQ(values.size(key.name), expected.size(key.name)) << stated.name << key.name;
      if (!has_default(key)) continue;
      EXPECT_EQ(value_of(values, key), value_of(expected, key)) << stated.name << key.name;
    }
  }
}

TEST_P(StatedDefaults, ChangeNoPrediction) {
  const Pair pair      = pair_of(GetParam());
  const auto predicted = [](const Json& workload) {
    const Json asked = question(workload, R"({"global_batch": 8})");
    return scenario::run(scenario::load(asked, "defaults.json")).summary;
  };
  const report::Summary bare = predicted(pair.bare), stated = predicted(pair.stated);
  EXPECT_EQ(bare.iteration_time.value(), stated.iteration_time.value());
  ASSERT_EQ(bare.devices.size(), stated.devices.size());
  for (size_t i = 0; i < bare.devices.size(); ++i)
    EXPECT_EQ(bare.devices[i].peak_memory.value(), stated.devices[i].peak_memory.value());
}

TEST_P(StatedDefaults, ChangeNoSearch) {
  const Pair pair  = pair_of(GetParam());
  const auto found = [](const Json& workload) {
    Options options;
    options.pruning = Pruning::none;
    return search(question(workload, R"({"global_batch": 8, "dp": [1], "tp": [1, 3, 8], "pp": [1, 4], "ep": "any",
                                        "microbatches": 4, "schedule": ["1f1b", "interleaved_1f1b"], "zero": 0,
                                        "recompute": "none", "overlap_tensor": 1, "overlap_gradients": false,
                                        "stage_partition": "uniform", "sequence_parallel": false})"),
                  "defaults.json", options);
  };
  const Result bare = found(pair.bare), stated = found(pair.stated);
  EXPECT_EQ(to_json(bare, bare.points).dump(), to_json(stated, stated.points).dump());
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const workload::WorkloadDef& family : workload::workloads()) {
    const std::string name(family.name);
    for (const char* mode : {"training", "inference"}) all.push_back({name, mode, "bf16"});
    if (family.traits.is_transformer) all.push_back({name, "training", "fp8"});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Families, StatedDefaults, testing::ValuesIn(cases()), [](const auto& info) {
  return info.param.family + "_" + info.param.mode + "_" + info.param.dtype;
});

}  // namespace
}  // namespace foreflow::search::stated_defaults_test
