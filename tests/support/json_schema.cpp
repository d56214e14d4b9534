#include "support/json_schema.h"

#include <algorithm>
#include <regex>
#include <set>

#include "foreflow/base/text.h"

namespace foreflow::test {
namespace {

double number_of(const Json& value) {
  return value.if_int() != nullptr ? static_cast<double>(*value.if_int()) : *value.if_double();
}
bool is_number(const Json& value) { return value.if_int() != nullptr || value.if_double() != nullptr; }

bool has_type(const std::string& type, const Json& value) {
  if (type == "object") return value.if_object() != nullptr;
  if (type == "array") return value.if_array() != nullptr;
  if (type == "string") return value.if_string() != nullptr;
  if (type == "boolean") return value.if_bool() != nullptr;
  if (type == "integer") return value.if_int() != nullptr;
  if (type == "number") return is_number(value);
  throw Error("schema", "unknown type " + type);
}

bool matches(const std::string& pattern, const std::string& text) {
  return std::regex_search(text, std::regex(pattern, std::regex::ECMAScript));
}

class Validator {
 public:
  explicit Validator(const Json& root) : root_(root) {}

  std::string check(const Json& schema, const Json& value, const std::string& path) const {
    for (const auto& [keyword, argument] : *schema.if_object()) {
      std::string wrong = check_keyword(schema, keyword, argument, value, path);
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

 private:
  std::string check_keyword(const Json& schema, const std::string& keyword, const Json& argument, const Json& value,
                            const std::string& path) const {
    static const std::set<std::string> kNotes = {
        "$schema", "$defs", "title", "description", "patternProperties", "additionalProperties"};
    const auto fail_unless = [&](bool good) {
      return good ? "" : path + ": " + value.dump_compact().substr(0, 60) + " is against " + keyword;
    };
    if (keyword == "properties" || (keyword == "patternProperties" && schema.find("properties") == nullptr))
      return check_members(schema, value, path);
    if (kNotes.contains(keyword)) return "";
    if (keyword == "$ref") return check(referenced(*argument.if_string()), value, path);
    if (keyword == "anyOf") return check_any(argument, value, path);
    if (keyword == "type") return fail_unless(has_type(*argument.if_string(), value));
    if (keyword == "const") return fail_unless(value.dump_compact() == argument.dump_compact());
    if (keyword == "enum") return fail_unless(is_one_of(argument, value));
    if (keyword == "required") return check_required(argument, value, path);
    if (keyword == "items") return check_items(argument, value, path);
    if (keyword == "minItems") return fail_unless(value.if_array()->size() >= static_cast<size_t>(*argument.if_int()));
    if (keyword == "minLength")
      return fail_unless(value.if_string()->size() >= static_cast<size_t>(*argument.if_int()));
    if (keyword == "pattern") return fail_unless(matches(*argument.if_string(), *value.if_string()));
    if (keyword == "minimum") return fail_unless(number_of(value) >= number_of(argument));
    if (keyword == "maximum") return fail_unless(number_of(value) <= number_of(argument));
    if (keyword == "exclusiveMinimum") return fail_unless(number_of(value) > number_of(argument));
    if (keyword == "exclusiveMaximum") return fail_unless(number_of(value) < number_of(argument));
    throw Error("schema", "unknown keyword " + keyword);
  }

  const Json& referenced(const std::string& reference) const {
    const std::string name = reference.substr(reference.rfind('/') + 1);
    const Json* found      = root_.find("$defs")->find(name);
    if (reference != "#/$defs/" + name || found == nullptr) throw Error("schema", "leads nowhere: " + reference);
    return *found;
  }

  static bool is_one_of(const Json& all, const Json& value) {
    const auto same = [&](const Json& one) { return one.dump_compact() == value.dump_compact(); };
    return std::any_of(all.if_array()->begin(), all.if_array()->end(), same);
  }

  std::string check_any(const Json& schemas, const Json& value, const std::string& path) const {
    std::string furthest;
    for (const Json& schema : *schemas.if_array()) {
      std::string wrong = check(schema, value, path);
      if (wrong.empty()) return "";
      const auto depth = [](const std::string& text) { return text.substr(0, text.find(": ")).size(); };
      if (furthest.empty() || depth(wrong) > depth(furthest)) furthest = std::move(wrong);
    }
    return furthest;
  }

  static std::string check_required(const Json& names, const Json& value, const std::string& path) {
    for (const Json& name : *names.if_array()) {
      if (value.find(*name.if_string()) == nullptr) return path + ": has no " + *name.if_string();
    }
    return "";
  }

  std::string check_items(const Json& schema, const Json& value, const std::string& path) const {
    for (size_t i = 0; i < value.if_array()->size(); ++i) {
      std::string wrong = check(schema, (*value.if_array())[i], path + "[" + std::to_string(i) + "]");
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

  std::string check_members(const Json& schema, const Json& value, const std::string& path) const {
    if (value.if_object() == nullptr) return "";
    for (const auto& [key, member] : *value.if_object()) {
      const Json* own = member_schema(schema, key);
      if (own == nullptr && schema.find("additionalProperties") == nullptr) continue;
      if (own == nullptr) return path + "." + key + ": unknown key";
      std::string wrong = check(*own, member, path + "." + key);
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

  static const Json* member_schema(const Json& schema, const std::string& key) {
    const Json* properties = schema.find("properties");
    if (properties != nullptr && properties->find(key) != nullptr) return properties->find(key);
    const Json* patterns = schema.find("patternProperties");
    if (patterns == nullptr) return nullptr;
    for (const auto& [pattern, own] : *patterns->if_object()) {
      if (matches(pattern, key)) return &own;
    }
    return nullptr;
  }

  const Json& root_;
};

}  // namespace

std::string violation(const Json& schema, const Json& value) { return Validator(schema).check(schema, value, "$"); }

}  // namespace foreflow::test
