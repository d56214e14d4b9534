#include "foreflow/base/key.h"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "foreflow/base/text.h"

namespace foreflow {
namespace {

Json typed(const char* type) { return Json::object().set("type", type); }

Json strings(const std::vector<std::string>& words) {
  Json all = Json::array();
  for (const std::string& word : words) all.push(word);
  return all;
}

// A number with a unit, as units.h parses it. `units` is an alternation in a regular expression.
ValueType quantity(const std::string& what, const std::string& example, const std::string& units) {
  const std::string number = R"([0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?|[0-9]+\.([eE][-+]?[0-9]+)?)";
  return {what + " such as \"" + example + "\"", typed("string").set("pattern", "^(" + number + ") *(" + units + ")$")};
}

constexpr const char* kPrefixPattern = "(|[kMGTPE]|[KMGT]i)";

std::string prefixed(const std::string& units) { return kPrefixPattern + std::string("(") + units + ")"; }

}  // namespace

Json ValueType::alternatives() const {
  const Json list = typed("array").set("items", schema).set("minItems", 1);
  Json either     = Json::array();
  either.push(schema);
  either.push(list);
  return Json::object().set("anyOf", std::move(either));
}

std::vector<std::string> names_of(const Keys& keys) {
  std::vector<std::string> names;
  for (const KeyDef& key : keys) names.push_back(key.name);
  return names;
}

namespace types {

ValueType flag() { return {"true or false", typed("boolean")}; }

ValueType whole(int64_t least, int64_t most) {
  Json schema = typed("integer").set("minimum", least);
  if (most == INT64_MAX) return {fmt::format("a whole number from {}", least), std::move(schema)};
  return {fmt::format("a whole number from {} to {}", least, most), schema.set("maximum", most)};
}

ValueType number(double least) {
  if (std::isinf(least)) return {"a number", typed("number")};
  return {fmt::format("a number from {:g}", least), typed("number").set("minimum", least)};
}

ValueType positive(double most) {
  Json schema = typed("number").set("exclusiveMinimum", 0);
  if (std::isinf(most)) return {"a number above 0", std::move(schema)};
  return {fmt::format("a number above 0, at most {:g}", most), schema.set("maximum", most)};
}

ValueType text(std::string words) { return {std::move(words), typed("string")}; }

ValueType path(std::string words) { return {std::move(words), typed("string").set("minLength", 1)}; }

ValueType one_of(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back("`" + name + "`");
  return {list_or(quoted), Json::object().set("enum", strings(names))};
}

ValueType any_word() { return {"`any`", Json::object().set("const", "any")}; }

ValueType time() { return quantity("a time", "2us", "ns|us|ms|s|min|h|" + prefixed("s")); }
ValueType bytes() { return quantity("a size", "25MB", prefixed("B|b")); }
ValueType bandwidth() { return quantity("a bandwidth", "25GBps", prefixed("Bps|B/s|bps")); }
ValueType flop_rate() { return quantity("flop per second", "312Tf", prefixed("f|flops|FLOP/s")); }

ValueType list_of(const ValueType& item, std::string words) {
  return {std::move(words), typed("array").set("items", item.schema), true};
}

ValueType either(const std::vector<ValueType>& types) {
  ValueType result;
  Json all = Json::array();
  for (const ValueType& type : types) {
    result.words += (result.words.empty() ? "" : "; or ") + type.words;
    all.push(type.schema);
  }
  result.schema.set("anyOf", std::move(all));
  return result;
}

ValueType object_of(const Keys& keys, std::string words, const std::vector<std::string>& required) {
  Json properties = Json::object();
  for (const KeyDef& key : keys) properties.set(key.name, key.type.alternatives().set("description", key.doc));
  Json schema = typed("object").set("properties", std::move(properties));
  if (!required.empty()) schema.set("required", strings(required));
  return {std::move(words), schema.set("additionalProperties", false)};
}

ValueType map_of(const std::string& names, const ValueType& value, std::string words) {
  return {std::move(words), typed("object")
                                .set("patternProperties", Json::object().set(names, value.alternatives()))
                                .set("additionalProperties", false)};
}

}  // namespace types
}  // namespace foreflow
