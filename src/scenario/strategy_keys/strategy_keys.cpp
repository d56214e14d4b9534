#include <algorithm>

#include "foreflow/scenario/strategy_key.h"

namespace foreflow::scenario {

// clang-format off
namespace definitions {
#define FOREFLOW_ROW(name) namespace name##_key { StrategyKeyDef row(); }
#include "scenario/strategy_keys/strategy_keys.def"
#undef FOREFLOW_ROW
}  // namespace definitions
// clang-format on

namespace {

// A refusal is an answer: the value is of the right kind, but cannot be used here.
void check_value(const StrategyKeyDef& key, const JsonView& value) {
  Strategy read;
  try {
    key.read(value, read);
  } catch (const RefusalError&) {
  }
}

}  // namespace

const Registry<StrategyKeyDef>& strategy_keys() {
  // clang-format off
  static const Registry<StrategyKeyDef> rows("key of a strategy", "keys", {
#define FOREFLOW_ROW(name) definitions::name##_key::row(),
#include "scenario/strategy_keys/strategy_keys.def"
#undef FOREFLOW_ROW
  });
  // clang-format on
  return rows;
}

KnownKeys known_keys(const std::function<bool(std::string_view name)>& known) {
  KnownKeys rows;
  rows.degrees = rows.settles_degrees = true;
  for (const StrategyKeyDef& key : strategy_keys()) {
    if (key.read != nullptr && known(key.name)) rows.read.push_back(&key);
    const bool settles = std::all_of(key.depends_on.begin(), key.depends_on.end(), known);
    if (key.settle != nullptr && settles) rows.settle.push_back(&key);
    if (!key.search.is_degree) continue;
    rows.degrees         = rows.degrees && known(key.name);
    rows.settles_degrees = rows.settles_degrees && settles;
  }
  return rows;
}

void check_values(const JsonView& strategy, bool searches) {
  for (const StrategyKeyDef& key : strategy_keys()) {
    if (key.read == nullptr || !strategy.has(key.name)) continue;
    const JsonView value    = strategy.at(key.name);
    const std::string* word = value.json().if_string();
    if (searches && key.search.searched != Searched::never && word != nullptr && *word == "any") continue;
    if (value.json().if_array() == nullptr) {
      check_value(key, value);
      continue;
    }
    for (const JsonView& item : value.items()) check_value(key, item);
  }
}

KeyDef described(const StrategyKeyDef& key) {
  KeyDef row{std::string(key.name), std::string(key.doc), key.type, std::string(key.otherwise)};
  if (!key.fallback.is_null()) {
    const std::string* word = key.fallback.if_string();
    row.otherwise           = word != nullptr ? "`" + *word + "`" : key.fallback.dump_compact();
  }
  if (key.search.searched != Searched::never) row.type.schema = types::either({key.type, types::any_word()}).schema;
  return row;
}

Json to_json(const Strategy& strategy) {
  Json json = Json::object();
  for (const StrategyKeyDef& key : strategy_keys()) {
    if (key.write == nullptr) continue;
    Json value = key.write(strategy);
    if (!value.is_null()) json.set(key.name, std::move(value));
  }
  return json;
}

int64_t whole_or(const Json& point, std::string_view key, int64_t fallback) {
  const Json* value = point.find(key);
  return value != nullptr && value->if_int() != nullptr ? *value->if_int() : fallback;
}

std::string_view word_or(const Json& point, std::string_view key, std::string_view fallback) {
  const Json* value = point.find(key);
  return value != nullptr && value->if_string() != nullptr ? std::string_view(*value->if_string()) : fallback;
}

}  // namespace foreflow::scenario
