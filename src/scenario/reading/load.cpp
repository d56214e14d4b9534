#include <filesystem>

#include "foreflow/scenario/axes.h"
#include "foreflow/scenario/framework.h"
#include "foreflow/scenario/schema.h"
#include "foreflow/scenario/strategy_key.h"
#include "foreflow/workload/preset.h"
#include "scenario/keys/sections.h"
#include "scenario/read.h"
#include "scenario/reading/read_rest.h"

namespace foreflow::scenario {
namespace {

// "[1,2,4]"; of a long list the number of values.
std::string values_text(const Json::Array& values) {
  constexpr size_t kMostCharacters = 60;
  const std::string text           = Json(values).dump_compact();
  return text.size() <= kMostCharacters ? text : "of " + std::to_string(values.size()) + " values";
}

void refuse_axes(const Json& json, const std::string& file, std::string_view commands) {
  const std::vector<Axis> all = axes(json, file);
  if (all.empty()) return;
  const Axis& axis = all.front();
  throw Error(file + ": $." + axis.path(),
              "is an axis " + values_text(axis.values) + "; give one value, or use " + std::string(commands));
}

// Every workload that names a preset says its sizes.
Json with_presets(const Json& json) {
  Json result = json;
  if (const Json* workload = json.find("workload")) result.set("workload", workload::with_preset(*workload));
  const Json* jobs        = json.find("jobs");
  const Json::Array* list = jobs == nullptr ? nullptr : jobs->if_array();
  if (list == nullptr) return result;
  Json filled = Json::array();
  for (const Json& job : *list) filled.push(job.if_object() == nullptr ? job : with_presets(job));
  return result.set("jobs", std::move(filled));
}

}  // namespace

void read_work(const JsonView& root, Scenario& scenario) {
  scenario.workload       = read_workload(root.at("workload"));
  const JsonView strategy = part_or_empty(root, "strategy");
  strategy.allow_only(strategy_keys().names());
  scenario.strategy  = try_read_strategy(strategy, scenario.workload).value();
  scenario.placement = read_placement(part_or_empty(root, "placement"));
  read_rest(root, scenario);
}

Scenario load(const Json& read, const std::string& file, std::string_view commands) {
  refuse_misplaced_keys(JsonView(read, file));
  const Json json = with_framework(read, file).json;
  const JsonView root(json, file);
  root.allow_only(names_of(root_keys()));
  // A list below an unknown key is a mistake and no axis.
  if (root.has("disturbances")) root.at("disturbances").allow_only(simulate::disturbance_kinds().names());
  refuse_axes(json, file, commands);
  Scenario scenario;
  scenario.file            = file;
  scenario.source          = with_presets(json);
  scenario.name            = root.string_or("name", std::filesystem::path(file).stem().string());
  scenario.platform        = read_platform(root.at("platform"));
  const std::string engine = root.string_or("engine", "simgrid");
  scenario.engine          = &simulate::engines().get(engine, root.has("engine") ? root.at("engine").where() : file);
  if (root.has("memory")) scenario.allocator = read_allocator(root.at("memory"));
  if (root.has("network")) scenario.simulation.coupling = read_coupling(root.at("network"));
  if (root.has("disturbances")) scenario.disturbances = simulate::read_disturbances(root.at("disturbances"));
  scenario.stated = read_stated_keys(root_of(scenario));
  if (root.has("jobs")) return with_jobs(std::move(scenario));
  read_work(root_of(scenario), scenario);
  return scenario;
}

Scenario load_file(const std::string& path, const std::vector<std::string>& overrides) {
  return load(read_source(path, overrides), path);
}

std::string part_text(const Scenario& scenario, std::string_view part) {
  const Json* json = scenario.source.find(part);
  return json == nullptr ? "" : json->dump_compact();
}

}  // namespace foreflow::scenario
