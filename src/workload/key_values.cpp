#include "foreflow/workload/key_values.h"

#include <fmt/format.h>

#include <algorithm>

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

// Null where no key has the name.
const Key* find(const std::vector<Key>& keys, std::string_view name) {
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

struct InWords {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(bool flag) const { return flag ? "true" : "false"; }
  std::string operator()(const Derived& derived) const { return std::string(derived.words); }
  template <class Value>
  std::string operator()(const Value& value) const {
    return fmt::format("{}", value);
  }
};

}  // namespace

std::string in_words(const Default& fallback) { return std::visit(InWords(), fallback); }

std::string explained(const Key& key) {
  const std::string words = in_words(key.fallback);
  return std::string(key.doc) + (words.empty() ? "" : " (" + words + ")");
}

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

int64_t FilledValues::integer(std::string_view key) const {
  if (stated_.has(key)) return stated_.integer_or(key, 0);
  const Default& fallback = find(keys_, key)->fallback;
  const auto* derived     = std::get_if<Derived>(&fallback);
  return derived == nullptr ? std::get<int64_t>(fallback) : derived->of(*this);
}

double FilledValues::number(std::string_view key) const {
  return stated_.has(key) ? stated_.number_or(key, 0) : std::get<double>(find(keys_, key)->fallback);
}

bool FilledValues::flag(std::string_view key) const {
  return stated_.has(key) ? stated_.flag_or(key, false) : std::get<bool>(find(keys_, key)->fallback);
}

std::string FilledValues::word(std::string_view key) const {
  return stated_.has(key) ? stated_.word_or(key, "")
                          : std::string(std::get<std::string_view>(find(keys_, key)->fallback));
}

int64_t FilledValues::size(std::string_view key) const {
  const Key* row = find(keys_, key);
  if (row == nullptr || row->kind != Key::Kind::integer) return 0;
  const int64_t size = integer(key);
  return size > 0 && size <= kLargestSize ? size : 0;
}

KeyValues read_key_values(const JsonView& stated, const std::vector<Key>& keys) {
  KeyValues values(stated.where());
  for (const Key& key : keys) {
    if (stated.has(key.name)) values.set(key.name, read_value(stated.at(key.name), key.kind));
  }
  return values;
}

}  // namespace foreflow::workload
