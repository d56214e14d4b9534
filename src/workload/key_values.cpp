#include "foreflow/workload/key_values.h"

#include "foreflow/base/json.h"

namespace foreflow::workload {
namespace {

KeyValues::Value read_value(const JsonView& value, Key::Kind kind) {
  switch (kind) {
    case Key::Kind::integer: return value.as_int();
    case Key::Kind::boolean: return value.as_bool();
    case Key::Kind::word: return value.as_string();
    case Key::Kind::number: break;
  }
  const int64_t* whole = value.json().if_int();
  return whole == nullptr ? KeyValues::Value(value.as_number()) : KeyValues::Value(*whole);
}

}  // namespace

int64_t KeyValues::integer_or(std::string_view key, int64_t fallback) const {
  const auto found = values_.find(key);
  return found == values_.end() ? fallback : std::get<int64_t>(found->second);
}

double KeyValues::number_or(std::string_view key, double fallback) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return fallback;
  const auto* whole = std::get_if<int64_t>(&found->second);
  return whole == nullptr ? std::get<double>(found->second) : static_cast<double>(*whole);
}

bool KeyValues::flag_or(std::string_view key, bool fallback) const {
  const auto found = values_.find(key);
  return found == values_.end() ? fallback : std::get<bool>(found->second);
}

std::string KeyValues::word_or(std::string_view key, const std::string& fallback) const {
  const auto found = values_.find(key);
  return found == values_.end() ? fallback : std::get<std::string>(found->second);
}

std::string KeyValues::key_of_greatest() const {
  std::string greatest;
  int64_t most = 0;
  for (const auto& [key, value] : values_) {
    const auto* whole = std::get_if<int64_t>(&value);
    if (whole == nullptr || (!greatest.empty() && *whole <= most)) continue;
    greatest = key;
    most     = *whole;
  }
  return greatest;
}

std::string KeyValues::text(std::string_view key) const {
  return std::visit([](const auto& value) { return Json(value).dump_compact(); }, values_.find(key)->second);
}

std::string KeyValues::where(std::string_view key) const { return has(key) ? (place_ + ".").append(key) : place_; }

void KeyValues::fail(std::string_view key, const std::string& what) const { throw Error(where(key), what); }

KeyValues read_key_values(const JsonView& stated, const std::vector<Key>& keys) {
  KeyValues values(stated.where());
  for (const Key& key : keys) {
    if (stated.has(key.name)) values.set(key.name, read_value(stated.at(key.name), key.kind));
  }
  return values;
}

}  // namespace foreflow::workload
