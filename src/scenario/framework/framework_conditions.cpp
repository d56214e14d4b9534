#include "scenario/framework/framework_conditions.h"

#include <algorithm>

#include "foreflow/cost/load.h"
#include "foreflow/scenario/framework.h"
#include "foreflow/schedule/schedule.h"
#include "foreflow/transform/layer_share.h"
#include "foreflow/workload/preset.h"
#include "foreflow/workload/workload.h"

namespace foreflow::scenario {

const Json* stated_at(const Json& scenario, std::string_view part, std::string_view key) {
  const Json* holder = scenario.find(part);
  return holder == nullptr || holder->if_object() == nullptr ? nullptr : holder->find(key);
}

namespace {

// The number at a key; `absent` where there is none, and 0 where it is an axis.
int64_t number(const Json& scenario, std::string_view part, std::string_view key, int64_t absent) {
  const Json* value = stated_at(scenario, part, key);
  if (value == nullptr) return absent;
  return value->if_int() != nullptr ? *value->if_int() : 0;
}

bool has_word(const Json& scenario, std::string_view part, std::string_view key,
              const std::vector<std::string>& words) {
  const Json* value       = stated_at(scenario, part, key);
  const std::string* word = value == nullptr ? nullptr : value->if_string();
  return word != nullptr && std::find(words.begin(), words.end(), *word) != words.end();
}

bool has_several(const Json& scenario, std::string_view key) { return number(scenario, "strategy", key, 1) > 1; }

bool shards(const Json& scenario) { return has_several(scenario, "tp"); }
bool is_narrow(const Json& scenario) {
  return has_word(scenario, "workload", "dtype", {"f16", "bf16", "fp8", "Float16", "BFloat16"});
}
bool has_cost(const Json& scenario, const char* model) {
  if (stated_at(scenario, "cost", "model") != nullptr) return has_word(scenario, "cost", "model", {model});
  const Json* cost = scenario.find("cost");
  return cost::default_model(cost == nullptr ? Json::object() : *cost) == model;
}
bool is_roofline(const Json& scenario) { return has_cost(scenario, "roofline"); }
bool is_calibrated(const Json& scenario) { return has_cost(scenario, "calibrated"); }
bool is_by_kernel(const Json& scenario) { return is_roofline(scenario) || is_calibrated(scenario); }
bool fuses_nothing(const Json& scenario) {
  const Json* value = stated_at(scenario, "strategy", "fusion");
  return value == nullptr || (value->if_bool() != nullptr && !*value->if_bool());
}
// Families train unless they are told not to; files infer.
bool trains(const Json& scenario) {
  if (stated_at(scenario, "workload", "mode") != nullptr) return has_word(scenario, "workload", "mode", {"training"});
  return stated_at(scenario, "workload", "model") != nullptr;
}

// Null for a file.
const workload::WorkloadDef* family_of(const Json& scenario) {
  const Json* model       = stated_at(scenario, "workload", "model");
  const std::string* name = model == nullptr ? nullptr : model->if_string();
  if (name == nullptr) return nullptr;
  const workload::Preset* preset = workload::presets().find(*name);
  return workload::workloads().find(preset == nullptr ? *name : std::string(preset->family));
}

// The size of a model family, stated or its default; 0 where it has none, or it is an axis or not legal.
int64_t size_of(const Json& scenario, std::string_view key) {
  const workload::WorkloadDef* family = family_of(scenario);
  if (family == nullptr) return 0;
  workload::KeyValues stated;
  for (const workload::Key& one : family->keys) {
    if (one.kind == workload::Key::Kind::integer && stated_at(scenario, "workload", one.name) != nullptr)
      stated.set(one.name, number(scenario, "workload", one.name, 0));
  }
  return workload::FilledValues(family->keys, stated).size(key);
}

bool shards_vocabulary(const Json& scenario) {
  const int64_t tp = number(scenario, "strategy", "tp", 1), rows = size_of(scenario, "vocabulary");
  return tp > 1 && rows > 0 && rows % tp == 0;
}

// Returns true if layers of the family can drop a share of their results in training.
bool has_dropout(const Json& scenario) {
  const workload::WorkloadDef* family = family_of(scenario);
  return family != nullptr && std::any_of(family->keys.begin(), family->keys.end(),
                                          [](const workload::Key& key) { return key.name == "dropout"; });
}

bool has_copies(const Json& scenario) {
  return trains(scenario) && (has_several(scenario, "dp") || has_several(scenario, "cp"));
}
bool has_stages(const Json& scenario) { return has_several(scenario, "pp"); }
// Returns true if all stages have as many ranks, and no devices are listed, which would be in the order of ranks.
bool has_equal_stages(const Json& scenario) {
  for (const char* key : {"stage_tp", "stage_cp", "stage_sequence_parallel"}) {
    if (stated_at(scenario, "strategy", key) != nullptr) return false;
  }
  return stated_at(scenario, "placement", "devices") == nullptr;
}

// A number that counts stages; 0 where it is none that can be meant, which the reader of the key refuses.
int count_of(const Json& scenario, std::string_view key, int absent) {
  constexpr int64_t kMost = 1 << 20;
  const int64_t value     = number(scenario, "strategy", key, absent);
  return value < 0 || value > kMost ? 0 : static_cast<int>(value);
}

// Returns true if contexts attend causally and positions may be dealt out to them one by one, which tokens may not that
// are routed to experts in groups of neighbours.
bool has_causal_contexts(const Json& scenario) {
  const workload::WorkloadDef* family = family_of(scenario);
  return family != nullptr && family->traits.is_causal && !family->traits.has_experts && has_several(scenario, "cp");
}

// The number of layers of a single stack of equal ones; 0: of other models, and where it is an axis.
int equal_layers(const Json& scenario) {
  const workload::WorkloadDef* row = family_of(scenario);
  const bool equal = row != nullptr && row->traits.is_transformer && row->traits.stacks_in_training == 1 &&
                     size_of(scenario, "dense_layers") == 0;
  constexpr int64_t kMost = 1 << 20;
  const int64_t layers    = equal ? size_of(scenario, "layers") : 0;
  return layers > kMost ? 0 : static_cast<int>(layers);
}

// Null for a name that is none.
const schedule::ScheduleDef* schedule_of(const Json& scenario) {
  const Json* named       = stated_at(scenario, "strategy", "schedule");
  const std::string* name = named == nullptr ? nullptr : named->if_string();
  return schedule::schedules().find(name == nullptr ? "1f1b" : *name);
}

// The number of stages that each device has.
int chunks_of(const Json& scenario, const schedule::ScheduleDef& row) {
  return row.chunks == schedule::kAnyChunks ? count_of(scenario, "virtual_stages", 2) : row.chunks;
}

bool may_wait_for_sends(const Json& scenario) {
  const schedule::ScheduleDef* row = schedule_of(scenario);
  return has_stages(scenario) && row != nullptr && !row->posts_sends;
}

// Returns true if every stage can have as many whole layers, or the scenario states how the first and the last one
// count them.
bool divides_layers(const Json& scenario) {
  if (!has_stages(scenario)) return false;
  for (const char* key : {"count_as_layers", "first_stage_layers", "last_stage_layers"}) {
    if (stated_at(scenario, "strategy", key) != nullptr) return true;
  }
  const schedule::ScheduleDef* row = schedule_of(scenario);
  const int layers                 = equal_layers(scenario);
  if (row == nullptr || layers == 0) return false;
  const int chunks = chunks_of(scenario, *row);
  const schedule::Size size{count_of(scenario, "pp", 1), 1, chunks};
  const int64_t stages = int64_t{size.devices} * chunks;
  return stages > 0 && stages <= 2 * int64_t{layers} &&  // two pipes: each stage is on two devices
         static_cast<bool>(transform::layers_of_stages(layers, row->mapping, size, {}));
}

}  // namespace

const std::vector<FrameworkCondition>& framework_conditions() {
  static const std::vector<FrameworkCondition> rows = {
      {"always", "in every scenario", [](const Json&) { return true; }},
      {"training", "the workload trains", trains},
      {"training in 16 bits", "it trains and its dtype has 16 bits",
       [](const Json& scenario) { return trains(scenario) && is_narrow(scenario); }},
      {"training, dropout", "it trains, and its family has the size dropout: bert, gpt, t5 and vit",
       [](const Json& scenario) { return trains(scenario) && has_dropout(scenario); }},
      {"tp", "tp is more than 1", shards},
      {"tp divides the vocabulary", "tp is more than 1 and divides the vocabulary", shards_vocabulary},
      {"cp, causal", "cp is more than 1, and the model is a decoder without experts", has_causal_contexts},
      {"pp", "pp is more than 1", has_stages},
      {"pp, sends may wait",
       "pp is more than 1, and the schedule is one that frameworks run with sends that wait: 1f1b, gpipe or inference",
       may_wait_for_sends, true},
      {"equal stages", "all stages are sharded in the same way, and no devices are listed", has_equal_stages},
      {"equal layers",
       "pp is more than 1, and every stage can have as many layers, or the strategy states how its ends count",
       divides_layers, true},
      {"no equal layers", "pp is more than 1, and the model has no such layers, or their number does not divide",
       [](const Json& scenario) { return has_stages(scenario) && !divides_layers(scenario); }, true},
      {"roofline", "the cost model is roofline", is_roofline},
      {"calibrated", "the cost model is calibrated, or none is stated", is_calibrated},
      {"op by op, calibrated",
       "neither the scenario nor the profile fuses ops (strategy.fusion), and the cost model is calibrated, or none is "
       "stated",
       [](const Json& scenario) { return fuses_nothing(scenario) && is_calibrated(scenario); }},
      {"roofline or calibrated", "the cost model is roofline or calibrated, or none is stated", is_by_kernel},
      {"dp or cp", "it trains, and dp or cp is more than 1", has_copies},
      {"dp or cp, pp", "it trains, dp or cp is more than 1, and so is pp",
       [](const Json& scenario) { return has_copies(scenario) && has_stages(scenario); }},
      {"dp or cp, calibrated",
       "it trains, dp or cp is more than 1, and the cost model is calibrated, or none is stated",
       [](const Json& scenario) { return has_copies(scenario) && is_calibrated(scenario); }},
  };
  return rows;
}

}  // namespace foreflow::scenario
