#include "search/results/columns.h"

#include <fmt/core.h>

#include <algorithm>

#include "foreflow/scenario/strategy_key.h"

namespace foreflow::search {
namespace {

// Without quotes where it is a word.
std::string plain(const Json& value) {
  return value.if_string() != nullptr ? *value.if_string() : value.dump_compact();
}

// The members of an object, or a value that is none as a whole.
void add_part(const std::string& name, const Json& part, Said& all) {
  if (part.if_object() == nullptr) {
    if (!part.is_null()) all.emplace(name, plain(part));
    return;
  }
  for (const auto& [key, value] : *part.if_object()) all.emplace(fmt::format("{}.{}", name, key), plain(value));
}

Json fallback_of(const std::string& key) {
  const scenario::StrategyKeyDef* row = scenario::strategy_keys().find(key);
  return row != nullptr ? row->fallback : Json();
}

}  // namespace

std::vector<const ObjectiveDef*> own_columns(const Goal& goal) {
  std::vector<const ObjectiveDef*> all;
  for (const ObjectiveDef* one : {goal.objective, goal.front[0], goal.front[1]}) {
    if (!one->column.empty() && std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  }
  return all;
}

Said said(const Json& strategy, const Json& placement, const Json& platform) {
  Said all;
  for (const auto& [key, value] : *strategy.if_object()) all.emplace(key, plain(value));
  add_part("placement", placement, all);
  add_part("platform", platform, all);
  return all;
}

bool is_default(const std::string& key, const std::string& value) {
  const Json fallback = fallback_of(key);
  return !fallback.is_null() && plain(fallback) == value;
}

bool differs_from_default(const std::string& key, const std::string& value) {
  const scenario::StrategyKeyDef* row = scenario::strategy_keys().find(key);
  const bool searched                 = row != nullptr && row->search.searched != scenario::Searched::never;
  return searched && !row->fallback.is_null() && plain(row->fallback) != value;
}

}  // namespace foreflow::search
