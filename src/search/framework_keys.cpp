#include "search/framework_keys.h"

#include <algorithm>

#include "foreflow/base/text.h"

namespace foreflow::search {
namespace {

bool needs_more_than_degrees(const scenario::FrameworkSetting& setting) {
  const auto& all  = scenario::framework_conditions();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == setting.when; });
  return found == all.end() || found->needs_more_than_degrees;
}

// Conditions ask what tp divides, and of other degrees only whether they are above 1.
Json representative(const Json& choice) {
  Json all = choice;
  for (const auto& [key, value] : *choice.if_object()) {
    if (key != "tp" && value.if_int() != nullptr && *value.if_int() > 1) all.set(key, 2);
  }
  return all;
}

}  // namespace

FrameworkKeys::FrameworkKeys(const Json& source, const scenario::Framework* framework, const Json& strategy)
    : source_(Json(source).set("strategy", strategy)), framework_(framework) {}

Json FrameworkKeys::with(const Json& choice) {
  if (framework_ == nullptr) return Json::object();
  const Json degrees         = representative(choice);
  const auto [found, is_new] = known_.try_emplace(degrees.dump_compact(), Json::object());
  if (!is_new) return found->second;
  Json strategy = *source_.find("strategy");
  for (const auto& [key, value] : *degrees.if_object()) strategy.set(key, value);
  for (const scenario::FrameworkSetting& setting :
       scenario::with_framework(Json(source_).set("strategy", std::move(strategy)), *framework_).applied) {
    const std::vector<std::string> words = split(setting.key, '.');
    if (words[0] == "strategy" && !needs_more_than_degrees(setting)) found->second.set(words[1], setting.value);
  }
  return found->second;
}

std::set<std::string> keys_of_framework(const Json& source, const std::string& file) {
  std::set<std::string> keys;
  const auto framework = scenario::framework_of(source, file);
  if (!framework) return keys;
  for (const scenario::FrameworkSetting& setting : framework->settings) {
    const std::vector<std::string> words = split(setting.key, '.');
    if (words[0] == "strategy") keys.insert(words[1]);
  }
  const Json* strategy = source.find("strategy");
  if (strategy == nullptr) return keys;
  const std::vector<Json> all = strategy->if_array() != nullptr ? *strategy->if_array() : std::vector<Json>{*strategy};
  for (const Json& one : all) {
    if (one.if_object() == nullptr) continue;
    for (const auto& [key, value] : *one.if_object()) keys.erase(key);
  }
  return keys;
}

Json completed_by_framework(const Json& asked, const scenario::Framework& framework, Json strategy, Json placement) {
  Json scenario = asked;
  scenario.set("strategy", std::move(strategy));
  if (!placement.is_null()) scenario.set("placement", std::move(placement));
  return scenario::with_framework(scenario, framework).json;
}

}  // namespace foreflow::search
