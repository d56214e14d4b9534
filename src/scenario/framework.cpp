#include "foreflow/scenario/framework.h"

#include <algorithm>

#include "foreflow/base/embedded_file.h"
#include "foreflow/base/text.h"
#include "foreflow/cost/load.h"
#include "foreflow/schedule/schedule.h"
#include "foreflow/transform/layer_share.h"
#include "foreflow/workload/preset.h"
#include "foreflow/workload/workload.h"
#include "scenario/read.h"

namespace foreflow::scenario {
namespace {

const Json* at(const Json& scenario, std::string_view part, std::string_view key) {
  const Json* holder = scenario.find(part);
  return holder == nullptr || holder->if_object() == nullptr ? nullptr : holder->find(key);
}

// The number at a key; `absent` where there is none, and 0 where it is an axis.
int64_t number(const Json& scenario, std::string_view part, std::string_view key, int64_t absent) {
  const Json* value = at(scenario, part, key);
  if (value == nullptr) return absent;
  return value->if_int() != nullptr ? *value->if_int() : 0;
}

bool has_word(const Json& scenario, std::string_view part, std::string_view key,
              const std::vector<std::string>& words) {
  const Json* value       = at(scenario, part, key);
  const std::string* word = value == nullptr ? nullptr : value->if_string();
  return word != nullptr && std::find(words.begin(), words.end(), *word) != words.end();
}

bool has_several(const Json& scenario, std::string_view key) { return number(scenario, "strategy", key, 1) > 1; }

bool shards(const Json& scenario) { return has_several(scenario, "tp"); }
bool shards_vocabulary(const Json& scenario) {
  const int64_t tp = number(scenario, "strategy", "tp", 1), rows = number(scenario, "workload", "vocabulary", 0);
  return tp > 1 && rows > 0 && rows % tp == 0;
}
bool is_narrow(const Json& scenario) {
  return has_word(scenario, "workload", "dtype", {"f16", "bf16", "fp8", "Float16", "BFloat16"});
}
bool has_cost(const Json& scenario, const char* model) {
  if (at(scenario, "cost", "model") != nullptr) return has_word(scenario, "cost", "model", {model});
  const Json* cost = scenario.find("cost");
  return cost::default_model(cost == nullptr ? Json::object() : *cost) == model;
}
bool is_roofline(const Json& scenario) { return has_cost(scenario, "roofline"); }
bool is_calibrated(const Json& scenario) { return has_cost(scenario, "calibrated"); }
bool is_by_kernel(const Json& scenario) { return is_roofline(scenario) || is_calibrated(scenario); }
bool trains(const Json& scenario) { return !has_word(scenario, "workload", "mode", {"inference"}); }

bool has_stages(const Json& scenario) { return has_several(scenario, "pp"); }

// Of a single stack of equal layers; 0: other models, and where the number of layers is not stated.
int64_t equal_layers(const Json& scenario) {
  const Json* model       = at(scenario, "workload", "model");
  const std::string* name = model == nullptr ? nullptr : model->if_string();
  if (name == nullptr) return 0;
  const workload::Preset* preset = workload::presets().find(*name);
  const auto* row                = workload::workloads().find(preset == nullptr ? *name : std::string(preset->family));
  const bool equal = row != nullptr && row->traits.is_transformer && row->traits.stacks_in_training == 1 &&
                     number(scenario, "workload", "dense_layers", 0) == 0;
  return equal ? number(scenario, "workload", "layers", 0) : 0;
}

// Whether stages get whole layers, as many each. Who says how the ends count wants that.
bool divides_layers(const Json& scenario) {
  if (!has_stages(scenario)) return false;
  for (const char* key : {"count_as_layers", "first_stage_layers", "last_stage_layers"}) {
    if (at(scenario, "strategy", key) != nullptr) return true;
  }
  const Json* named       = at(scenario, "strategy", "schedule");
  const std::string* name = named == nullptr ? nullptr : named->if_string();
  const auto* row         = schedule::schedules().find(name == nullptr ? "1f1b" : *name);
  const auto layers       = static_cast<int>(equal_layers(scenario));
  if (row == nullptr || layers == 0) return false;
  const int64_t chunks =
      row->chunks == schedule::kAnyChunks ? number(scenario, "strategy", "virtual_stages", 2) : row->chunks;
  const schedule::Size size{static_cast<int>(number(scenario, "strategy", "pp", 1)), 1, static_cast<int>(chunks)};
  return chunks > 0 && static_cast<bool>(transform::layers_of_stages(layers, row->mapping, size, {}));
}

Json section(const Json& scenario, const std::string& part) {
  const Json* own = scenario.find(part);
  return own == nullptr ? Json::object() : *own;
}

FrameworkSetting read_setting(const JsonView& json) {
  json.allow_only({"key", "value", "when", "why", "assumed"});
  FrameworkSetting setting{json.at("key").as_string(), json.at("value").json(), json.string_or("when", "always"),
                           json.at("why").as_string(), json.has("assumed") && json.at("assumed").as_bool()};
  if (split(setting.key, '.').size() != 2) json.at("key").fail("is no key of a part, such as strategy.zero");
  const auto& known = framework_conditions();
  if (std::none_of(known.begin(), known.end(), [&](const auto& one) { return one.name == setting.when; })) {
    std::vector<std::string> names;
    for (const FrameworkCondition& one : known) names.emplace_back(one.name);
    json.at("when").fail("is no condition; use " + list_or(names));
  }
  return setting;
}

// "nemo" is the newest of nemo@23.04 and nemo@23.09. Versions of one framework have as many digits each, so that the
// order of their names is that of time.
const Framework* newest_of(const std::string& name) {
  const Framework* newest = nullptr;
  for (const Framework& framework : frameworks()) {
    if (framework.name.starts_with(name + "@") && (newest == nullptr || framework.name > newest->name))
      newest = &framework;
  }
  return newest;
}

Framework chosen(const JsonView& named) {
  const std::string& name = named.as_string();
  if (name.ends_with(".json")) {
    const std::string path = file_named(named);
    const Json json        = parse_json(read_file(path), path);
    return read_framework(JsonView(json, path));
  }
  std::vector<std::string> names;
  for (const Framework& framework : frameworks()) {
    if (framework.name == name) return framework;
    names.push_back(framework.name);
  }
  if (const Framework* newest = newest_of(name)) return *newest;
  named.fail("\"" + name + "\" is no framework; use " + list_or(names) + ", or a file such as \"own.json\"");
}

bool holds(const FrameworkSetting& setting, const Json& scenario) {
  const auto& all  = framework_conditions();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == setting.when; });
  return found != all.end() && found->holds(scenario);
}

}  // namespace

const std::vector<FrameworkCondition>& framework_conditions() {
  static const std::vector<FrameworkCondition> all = {
      {"always", "in every scenario", [](const Json&) { return true; }},
      {"training", "the workload trains", trains},
      {"training in 16 bits", "it trains and its dtype has 16 bits",
       [](const Json& scenario) { return trains(scenario) && is_narrow(scenario); }},
      {"tp", "tp is more than 1", shards},
      {"tp divides the vocabulary", "tp is more than 1 and divides the stated vocabulary", shards_vocabulary},
      {"pp", "pp is more than 1", has_stages},
      {"equal layers",
       "pp is more than 1, and its stages have as many layers each, or the strategy says how its ends count",
       divides_layers},
      {"no equal layers", "pp is more than 1, and it is not so",
       [](const Json& scenario) { return has_stages(scenario) && !divides_layers(scenario); }},
      {"roofline", "the cost model is roofline", is_roofline},
      {"calibrated", "the cost model is calibrated, or none is stated", is_calibrated},
      {"roofline or calibrated", "the cost model is roofline or calibrated, or none is stated", is_by_kernel},
      {"dp", "it trains and dp is more than 1",
       [](const Json& scenario) { return trains(scenario) && has_several(scenario, "dp"); }},
  };
  return all;
}

Framework read_framework(const JsonView& json) {
  json.allow_only({"name", "version", "doc", "settings", "missing"});
  Framework framework{json.at("name").as_string(), json.at("version").as_string(), json.at("doc").as_string(), {}, {}};
  for (const JsonView& setting : json.at("settings").items()) framework.settings.push_back(read_setting(setting));
  if (json.has("missing")) {
    for (const JsonView& one : json.at("missing").items()) framework.missing.push_back(one.as_string());
  }
  return framework;
}

const std::vector<Framework>& frameworks() {
  static const std::vector<Framework> all = [] {
    std::vector<Framework> read;
    for (const auto& [path, text] : framework_files()) {
      const Json json = parse_json(std::string(text), std::string(path));
      read.push_back(read_framework(JsonView(json, std::string(path))));
    }
    return read;
  }();
  return all;
}

Completed with_framework(const Json& scenario, const std::string& file) {
  Completed completed{scenario, {}};
  if (scenario.find("framework") == nullptr) return completed;
  const JsonView root(scenario, file);
  const Framework framework = chosen(root.at("framework"));
  Json sized                = scenario;
  if (const Json* workload = scenario.find("workload")) sized.set("workload", workload::with_preset(*workload));
  for (const FrameworkSetting& setting : framework.settings) {
    const auto words        = split(setting.key, '.');
    const std::string &part = words[0], &key = words[1];
    const Json* holder = completed.json.find(part);
    if (holder != nullptr && holder->if_object() == nullptr) continue;  // several strategies, or a policy by its name
    if (at(scenario, part, key) != nullptr || !holds(setting, sized)) continue;
    completed.json.set(part, section(completed.json, part).set(key, setting.value));
    completed.applied.push_back(setting);
  }
  return completed;
}

}  // namespace foreflow::scenario
