#include <filesystem>

#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "foreflow/scenario/axes.h"
#include "foreflow/scenario/framework.h"
#include "foreflow/scenario/schema.h"
#include "foreflow/scenario/strategy_key.h"
#include "foreflow/workload/preset.h"
#include "scenario/keys/sections.h"
#include "scenario/read.h"

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

// For parts that a scenario may leave out.
const Json& empty_parts() {
  static const Json parts = [] {
    Json all;
    for (const char* key : {"cost", "host", "collective", "strategy", "placement"}) all.set(key, Json::object());
    return all;
  }();
  return parts;
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

// The part under its own key, so that messages name it; empty when it is absent.
JsonView part_or_empty(const JsonView& root, std::string_view key) {
  return root.has(key) ? root.at(key) : JsonView(empty_parts(), root.file()).at(key);
}

}  // namespace

void override_with(Json& json, const std::string& setting) {
  const size_t equals     = setting.find('=');
  const std::string where = "--set " + setting;
  if (equals == std::string::npos || equals == 0) throw Error(where, "write PATH=VALUE, such as strategy.tp=4");
  Json* place = &json;
  for (const std::string& key : split(std::string_view(setting).substr(0, equals), '.')) {
    if (key.empty()) throw Error(where, "write PATH=VALUE, such as strategy.tp=4");
    if (!place->is_null() && place->if_object() == nullptr)
      throw Error(where, "\"" + key + "\" would be inside a value that is no object");
    place = &place->member(key);
  }
  const std::string value = setting.substr(equals + 1);
  try {
    *place = parse_json(value, where);
  } catch (const Error&) {
    *place = Json(value);
  }
}

std::string beside(const std::string& file, const std::string& path) {
  return (std::filesystem::path(file).parent_path() / path).string();
}

std::string file_named(const JsonView& value) {
  if (value.as_string().empty()) value.fail("is empty; give the name of a file");
  return beside(value.file(), value.as_string());
}

int64_t positive(const JsonView& value, int64_t largest) { return positive(value.as_int(), value.where(), largest); }

int64_t positive(int64_t number, const std::string& where, int64_t largest) {
  if (number < 1) throw Error(where, std::to_string(number) + " is too small; use 1 or more");
  if (number > largest)
    throw Error(where, std::to_string(number) + " is too large; use at most " + std::to_string(largest));
  return number;
}

int64_t positive_or(const JsonView& json, std::string_view key, int64_t fallback, int64_t largest) {
  return json.has(key) ? positive(json.at(key), largest) : fallback;
}

std::vector<int64_t> divisors(int64_t number) {
  std::vector<int64_t> low, high;
  for (int64_t i = 1; i * i <= number; ++i) {
    if (number % i != 0) continue;
    low.push_back(i);
    if (i != number / i) high.push_back(number / i);
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

namespace {

// How a scenario names a file with the extension of `path`; empty: files like it are no part of one.
std::string part_with(const std::string& path) {
  const std::filesystem::path file(path);
  const std::string extension = file.extension().string(), name = Json(file.filename().string()).dump_compact();
  if (extension == ".xml") return R"("platform": {"file": )" + name + "}";
  if (extension == ".onnx") return R"("workload": {"onnx": )" + name + "}";
  if (extension == ".distir" || extension == ".distirb") return R"("workload": {"distir": )" + name + "}";
  return "";
}

Json read_scenario(const std::string& path) {
  const std::string part  = part_with(path);
  const std::string other = "is no scenario; a scenario is a JSON file that names this one: " + part;
  const ReadLimit limit{256'000'000, part.empty() ? "has more than 256 MB; no scenario is that large" : other};
  const std::string text = read_file(path, limit);
  try {
    return parse_json(text, path);
  } catch (const Error&) {
    if (part.empty()) throw;
    throw Error(path, other);
  }
}

}  // namespace

Json read_source(const std::string& path, const std::vector<std::string>& overrides) {
  Json json = read_scenario(path);
  for (const std::string& setting : overrides) override_with(json, setting);
  return json;
}

std::string Scenario::where(std::string_view path) const {
  std::string place = file + ": $";
  if (job >= 0) place += ".jobs[" + std::to_string(job) + "]";
  return path.empty() ? place : (place + ".").append(path);
}

JsonView root_of(const Scenario& scenario) {
  const JsonView whole(scenario.source, scenario.file);
  return scenario.job < 0 ? whole : nth(whole.at("jobs").items(), scenario.job);
}

namespace {

// Members that depend on the strategy but are not part of it.
void read_rest(const JsonView& root, Scenario& scenario) {
  const JsonView cost    = part_or_empty(root, "cost");
  scenario.cost          = read_cost(cost, scenario.strategy, scenario.workload);
  scenario.workload.tf32 = scenario.workload.tf32 || asks_for_tf32(cost, scenario.workload);
  adapt_to(scenario.cost, part_or_empty(root, "strategy"), scenario.strategy);
  scenario.collectives = read_collectives(part_or_empty(root, "collective"), scenario.strategy, scenario.cost);
  scenario.channels    = read_channels(part_or_empty(root, "collective"));
  scenario.collectives.resharding = scenario.strategy.resharding;
  scenario.collectives.fuses      = scenario.strategy.fuses;
  scenario.host                   = read_host(part_or_empty(root, "host"));
  scenario.collectives.host       = scenario.host.taken();
  scenario.stated                 = read_stated_keys(root);
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

namespace {

// If the placement lists no devices, only their number can be wrong.
std::optional<Refusal> refuse_places(const JsonView& root, const Strategy& strategy, const Placement& placement,
                                     const platform::Platform& platform) {
  if (placement.devices.empty() && static_cast<size_t>(strategy.devices()) <= platform.devices().size())
    return std::nullopt;
  const auto places = try_places(root.where(), strategy, placement, platform);
  return places ? std::nullopt : std::optional(places.refusal());
}

Json asked_for(Json strategy, Json placement) {
  Json asked;
  asked.set("strategy", std::move(strategy));
  if (!placement.is_null()) asked.set("placement", std::move(placement));
  return asked;
}

}  // namespace

Expected<Scenario> with_strategy(const Scenario& base, Json strategy, Json placement,
                                 const platform::Platform& platform) {
  return with_parts(base, asked_for(std::move(strategy), std::move(placement)), platform);
}

Expected<Scenario> with_parts(const Scenario& base, const Json& parts, const platform::Platform& platform) {
  const JsonView root(parts, base.file);
  Json work;
  std::optional<Workload> other;  // than that of `base`
  if (const Json* stated = parts.find("workload")) {
    work.set("workload", workload::with_preset(*stated));
    if (*work.find("workload") != *base.source.find("workload"))
      other = read_workload(JsonView(work, base.file).at("workload"));
  }
  auto read = try_read_strategy(root.at("strategy"), other ? *other : base.workload);
  if (!read) return read.refusal();
  auto placed = try_read_placement(part_or_empty(root, "placement"));
  if (!placed) return placed.refusal();
  if (auto refusal = refuse_places(root, *read, *placed, platform)) return *std::move(refusal);
  Scenario scenario  = base;
  scenario.strategy  = *std::move(read);
  scenario.placement = *std::move(placed);
  if (other) {
    scenario.workload = *std::move(other);
    scenario.source.set("workload", *work.find("workload"));
  }
  for (const char* key : {"strategy", "placement", "cost", "collective", "host"}) {
    if (const Json* part = parts.find(key)) scenario.source.set(key, *part);
  }
  read_rest(root_of(scenario), scenario);
  scenario.collectives.storage = base.collectives.storage;
  return scenario;
}

std::optional<Refusal> refuse_part(const Scenario& base, const KnownKeys& keys, Json strategy,
                                   const std::optional<Json>& placement, const platform::Platform& platform) {
  const Json asked = asked_for(std::move(strategy), placement.value_or(Json()));
  const JsonView root(asked, base.file);
  const auto read = try_read_strategy(root.at("strategy"), base.workload, keys);
  if (!read) return read.refusal();
  if (!placement) return std::nullopt;
  const auto placed = try_read_placement(part_or_empty(root, "placement"));
  if (!placed) return placed.refusal();
  return keys.degrees ? refuse_places(root, *read, *placed, platform) : std::nullopt;
}

Scenario load_file(const std::string& path, const std::vector<std::string>& overrides) {
  return load(read_source(path, overrides), path);
}

}  // namespace foreflow::scenario
