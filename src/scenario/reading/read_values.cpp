#include <filesystem>

#include "foreflow/base/nth.h"
#include "scenario/read.h"

namespace foreflow::scenario {

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

std::string Scenario::where(std::string_view path) const {
  std::string place = file + ": $";
  if (job >= 0) place += ".jobs[" + std::to_string(job) + "]";
  return path.empty() ? place : (place + ".").append(path);
}

JsonView root_of(const Scenario& scenario) {
  const JsonView whole(scenario.source, scenario.file);
  return scenario.job < 0 ? whole : nth(whole.at("jobs").items(), scenario.job);
}

}  // namespace foreflow::scenario
