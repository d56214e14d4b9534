#include "foreflow/scenario/framework.h"

#include <algorithm>
#include <optional>

#include "foreflow/base/embedded_file.h"
#include "foreflow/base/text.h"
#include "foreflow/workload/preset.h"
#include "scenario/framework/framework_conditions.h"
#include "scenario/read.h"

namespace foreflow::scenario {
namespace {

// A part as an object: a placement may be the name of its policy. Nothing: the part is something else, such as a list
// of strategies.
std::optional<Json> section(const Json& scenario, const std::string& part) {
  const Json* own = scenario.find(part);
  if (own == nullptr) return Json::object();
  if (own->if_object() != nullptr) return *own;
  if (part == "placement" && own->if_string() != nullptr) return Json::object().set("policy", *own);
  return std::nullopt;
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

// The scenario with the keys of the calibration file at `cost.model` in place of its path, but for its tables: a key
// that the file states is stated. As it is if no file is named there, or it is none, which the reader of costs refuses.
Json with_cost_of_file(const Json& scenario, const std::string& file) {
  const Json* model       = stated_at(scenario, "cost", "model");
  const std::string* path = model == nullptr ? nullptr : model->if_string();
  if (path == nullptr || !path->ends_with(".json")) return scenario;
  const std::string name = beside(file, *path);
  Json cost              = *scenario.find("cost");
  try {
    const Json calibration = parse_json(read_file(name), name);
    if (calibration.if_object() == nullptr) return scenario;
    for (const auto& [key, value] : *calibration.if_object()) {
      const bool is_table = key == "families" || key == "laws";
      if (!is_table && (key == "model" || cost.find(key) == nullptr)) cost.set(key, value);
    }
  } catch (const Error&) {
    return scenario;
  }
  return Json(scenario).set("cost", std::move(cost));
}

// `known`: the scenario with what its files say.
Completed completed_of(const Json& scenario, const Json& known, const Framework& framework) {
  Completed completed{scenario, {}, {}};
  Json sized = known;
  if (const Json* workload = known.find("workload")) sized.set("workload", workload::with_preset(*workload));
  for (const FrameworkSetting& setting : framework.settings) {
    const auto words        = split(setting.key, '.');
    const std::string &part = words[0], &key = words[1];
    std::optional<Json> holder = section(completed.json, part);
    if (!holder || stated_at(known, part, key) != nullptr || !holds(setting, sized)) continue;
    completed.json.set(part, holder->set(key, setting.value));
    sized.set(part, section(sized, part)->set(key, setting.value));
    std::erase_if(completed.applied, [&](const FrameworkSetting& before) { return before.key == setting.key; });
    completed.applied.push_back(setting);
  }
  return completed;
}

// The scenario that a job is: what stands around the jobs, with the job's own parts instead.
Json alone(const Json& scenario, const Json& job) {
  Json one = Json::object();
  for (const auto& [key, value] : *scenario.if_object()) {
    if (key != "jobs") one.set(key, value);
  }
  for (const std::string_view part : kPartsOfJobs) {
    if (const Json* own = job.find(part)) one.set(part, *own);
  }
  return one;
}

// A job with its parts as they are in `one`, its scenario when that is completed, where the scenario around it,
// completed too, has others.
Json with_parts_of(const Json& one, const Json& around, const Json& job) {
  Json result = job;
  for (const std::string_view part : kPartsOfJobs) {
    const Json *completed = one.find(part), *inherited = around.find(part);
    const bool inherits = job.find(part) == nullptr && inherited != nullptr;
    if (completed != nullptr && !(inherits && *inherited == *completed)) result.set(part, *completed);
    if (completed == nullptr && inherits) result.set(part, Json::object());  // settings that are none of the job's
  }
  return result;
}

// A job has its own workload and strategy, so the framework fills in each job by itself.
Completed with_completed_jobs(Completed around, const Json::Array& jobs, const Json& scenario, const std::string& file,
                              const Framework& framework) {
  Json all = Json::array();
  for (const Json& job : jobs) {
    std::vector<FrameworkSetting>& own = around.of_jobs.emplace_back();
    if (job.if_object() == nullptr) {
      all.push(job);
      continue;
    }
    const Json one       = alone(scenario, job);
    const Completed here = completed_of(one, with_cost_of_file(one, file), framework);
    Json completed       = with_parts_of(here.json, around.json, job);
    std::copy_if(here.applied.begin(), here.applied.end(), std::back_inserter(own),
                 [&](const FrameworkSetting& set) { return completed.find(split(set.key, '.')[0]) != nullptr; });
    all.push(std::move(completed));
  }
  around.json.set("jobs", std::move(all));
  return around;
}

}  // namespace

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
  static const std::vector<Framework> rows = [] {
    std::vector<Framework> read;
    for (const auto& [path, text] : framework_files()) {
      const Json json = parse_json(std::string(text), std::string(path));
      read.push_back(read_framework(JsonView(json, std::string(path))));
    }
    return read;
  }();
  return rows;
}

std::optional<Framework> framework_of(const Json& scenario, const std::string& file) {
  if (scenario.find("framework") == nullptr) return std::nullopt;
  return chosen(JsonView(scenario, file).at("framework"));
}

Completed with_framework(const Json& scenario, const std::string& file) {
  const std::optional<Framework> framework = framework_of(scenario, file);
  if (!framework) return {scenario, {}, {}};
  Completed completed     = completed_of(scenario, with_cost_of_file(scenario, file), *framework);
  const Json* jobs        = scenario.find("jobs");
  const Json::Array* list = jobs == nullptr ? nullptr : jobs->if_array();
  return list == nullptr ? completed : with_completed_jobs(std::move(completed), *list, scenario, file, *framework);
}

Completed with_framework(const Json& scenario, const Framework& framework) {
  return completed_of(scenario, scenario, framework);
}

bool is_of_framework(const Json& scenario, const std::string& file, const std::string& key) {
  if (scenario.find("framework") == nullptr) return false;
  const auto words  = split(key, '.');
  const Json* value = stated_at(scenario, words[0], words[1]);
  Json others       = Json::object();
  for (const auto& [name, member] : *scenario.find(words[0])->if_object()) {
    if (name != words[1]) others.set(name, member);
  }
  const auto applied = with_framework(Json(scenario).set(words[0], std::move(others)), file).applied;
  return std::any_of(applied.begin(), applied.end(), [&](const FrameworkSetting& setting) {
    return setting.key == key && value != nullptr && setting.value == *value;
  });
}

}  // namespace foreflow::scenario
