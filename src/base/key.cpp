#include "foreflow/base/key.h"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "foreflow/base/text.h"

namespace foreflow {
namespace {

Json typed(const char* type) { return Json::object().set("type", type); }

Schema of_type(const char* type) {
  return Schema([type] { return typed(type); });
}

Schema of_text(const char* rule, Json value) { return of_type("string").with(rule, std::move(value)); }

Json strings(const std::vector<std::string>& words) {
  Json all = Json::array();
  for (const std::string& word : words) all.push(word);
  return all;
}

// A number with a unit, as units.h parses it. `units` is an alternation in a regular expression.
ValueType quantity(const std::string& what, const std::string& example, const std::string& units) {
  const std::string number  = R"([0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?|[0-9]+\.([eE][-+]?[0-9]+)?)";
  const std::string pattern = "^(" + number + ") *(" + units + ")$";
  return {what + " such as \"" + example + "\"", of_text("pattern", pattern)};
}

constexpr const char* kPrefixPattern = "(|[kMGTPE]|[KMGT]i)";

std::string prefixed(const std::string& units) { return kPrefixPattern + std::string("(") + units + ")"; }

}  // namespace

Schema Schema::with(std::string member, Json value) const {
  return Schema(
      [base = *this, member = std::move(member), value = std::move(value)] { return base.json().set(member, value); });
}

Schema ValueType::alternatives() const {
  return Schema([one = schema] {
    const Json value = one.json();
    const Json list  = typed("array").set("items", value).set("minItems", 1);
    Json either      = Json::array();
    either.push(value);
    either.push(list);
    return Json::object().set("anyOf", std::move(either));
  });
}

std::vector<std::string> names_of(const Keys& keys) {
  std::vector<std::string> names;
  for (const KeyDef& key : keys) names.push_back(key.name);
  return names;
}

namespace types {

ValueType flag() { return {"true or false", of_type("boolean")}; }

ValueType whole(int64_t least, int64_t most) {
  const Schema schema = of_type("integer").with("minimum", least);
  if (most == INT64_MAX) return {fmt::format("a whole number from {}", least), schema};
  return {fmt::format("a whole number from {} to {}", least, most), schema.with("maximum", most)};
}

ValueType number(double least) {
  if (std::isinf(least)) return {"a number", of_type("number")};
  return {fmt::format("a number from {:g}", least), of_type("number").with("minimum", least)};
}

ValueType positive(double most) {
  const Schema schema = of_type("number").with("exclusiveMinimum", 0);
  if (std::isinf(most)) return {"a number above 0", schema};
  return {fmt::format("a number above 0, at most {:g}", most), schema.with("maximum", most)};
}

ValueType text(std::string words) { return {std::move(words), of_type("string")}; }

ValueType path(std::string words) { return {std::move(words), of_text("minLength", 1)}; }

ValueType one_of(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back("`" + name + "`");
  return {list_or(quoted), Schema([names] { return Json::object().set("enum", strings(names)); })};
}

ValueType any_word() { return {"`any`", Schema().with("const", "any")}; }

ValueType time() { return quantity("a time", "2us", "ns|us|ms|s|min|h|" + prefixed("s")); }
ValueType bytes() { return quantity("a size", "25MB", prefixed("B|b")); }
ValueType bandwidth() { return quantity("a bandwidth", "25GBps", prefixed("Bps|B/s|bps")); }
ValueType flop_rate() { return quantity("flop per second", "312Tf", prefixed("f|flops|FLOP/s")); }

ValueType list_of(const ValueType& item, std::string words) {
  const auto make = [of = item.schema] { return typed("array").set("items", of.json()); };
  return {std::move(words), Schema(make), true};
}

ValueType either(const std::vector<ValueType>& types) {
  std::string words;
  for (const ValueType& type : types) words += (words.empty() ? "" : "; or ") + type.words;
  return {std::move(words), Schema([types] {
            Json all = Json::array();
            for (const ValueType& type : types) all.push(type.schema.json());
            return Json::object().set("anyOf", std::move(all));
          })};
}

ValueType object_of(const Keys& keys, std::string words, const std::vector<std::string>& required) {
  return {std::move(words), Schema([keys, required] {
            Json properties = Json::object();
            for (const KeyDef& key : keys)
              properties.set(key.name, key.type.alternatives().json().set("description", key.doc));
            Json schema = typed("object").set("properties", std::move(properties));
            if (!required.empty()) schema.set("required", strings(required));
            return schema.set("additionalProperties", false);
          })};
}

ValueType map_of(const std::string& names, const ValueType& value, std::string words) {
  return {std::move(words), Schema([names, of = value.alternatives()] {
            return typed("object")
                .set("patternProperties", Json::object().set(names, of.json()))
                .set("additionalProperties", false);
          })};
}

}  // namespace types
}  // namespace foreflow
