// A key of a JSON object as a row of a table: its meaning, type and default. Readers, reference tables and the JSON
// Schema use the same rows.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "foreflow/base/json.h"

namespace foreflow {

// A JSON Schema (draft 2020-12) that is made where it is asked for. Most commands read keys and never ask.
class Schema {
 public:
  Schema(std::function<Json()> make = Json::object) : make_(std::make_shared<std::function<Json()>>(std::move(make))) {}

  Json json() const { return (*make_)(); }
  // The schema with another member.
  Schema with(std::string member, Json value) const;

 private:
  std::shared_ptr<const std::function<Json()>> make_;
};

// The type of a value: in words for people ("a whole number from 1"), and as a schema.
struct ValueType {
  std::string words;
  Schema schema;
  bool is_list = false;         // one value is a list, so a plain list is not an axis
  Schema alternatives() const;  // of a value or an axis of values
};

struct KeyDef {
  std::string name;
  std::string doc;
  ValueType type;
  std::string otherwise = {};  // the default in words; empty: there is none
};
using Keys = std::vector<KeyDef>;

std::vector<std::string> names_of(const Keys& keys);

// Constructors of the types of keys.
namespace types {

ValueType flag();
ValueType whole(int64_t least, int64_t most = INT64_MAX);
ValueType number(double least = 0);          // at least `least`; -INFINITY: any number
ValueType positive(double most = INFINITY);  // above 0
ValueType text(std::string words);
ValueType path(std::string words = "the path of a file, relative to the scenario");
ValueType one_of(const std::vector<std::string>& names);
ValueType any_word();  // "any": a search tries every legal value
ValueType time();
ValueType bytes();
ValueType bandwidth();
ValueType flop_rate();
ValueType list_of(const ValueType& item, std::string words);
ValueType either(const std::vector<ValueType>& types);
// An object with these keys and no others; each value may be an axis. The keys in `required` must be present.
ValueType object_of(const Keys& keys, std::string words, const std::vector<std::string>& required = {});
// An object whose keys are names that match the regular expression `names`.
ValueType map_of(const std::string& names, const ValueType& value, std::string words);

}  // namespace types
}  // namespace foreflow
