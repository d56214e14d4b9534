// JSON as a plain value, and a view of it that knows its path, so that every error names its place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "foreflow/base/error.h"
#include "foreflow/base/units.h"

namespace foreflow {

// A JSON value. Objects keep the order in which members were added, so output is the same on every run.
class Json {
 public:
  using Array  = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  Json() = default;
  Json(bool value) : value_(value) {}
  Json(int value) : value_(static_cast<int64_t>(value)) {}
  Json(int64_t value) : value_(value) {}
  Json(size_t value) : value_(static_cast<int64_t>(value)) {}
  Json(double value) : value_(value) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}

  static Json object() { return Json(Object{}); }
  static Json array() { return Json(Array{}); }

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  const bool* if_bool() const { return std::get_if<bool>(&value_); }
  const int64_t* if_int() const { return std::get_if<int64_t>(&value_); }
  const double* if_double() const { return std::get_if<double>(&value_); }
  const std::string* if_string() const { return std::get_if<std::string>(&value_); }
  const Array* if_array() const { return std::get_if<Array>(&value_); }
  const Object* if_object() const { return std::get_if<Object>(&value_); }

  // Member `key` of an object; null when absent or not an object.
  const Json* find(std::string_view key) const;
  // Adds or replaces a member; a null value becomes an object first.
  Json& set(std::string_view key, Json value);
  // The member, added as null if absent; for `--set a.b=c`.
  Json& member(std::string_view key);
  // The number of members of an object, or of items of an array; 0 for all other values.
  size_t size() const;
  // Removes all members of an object but the first `count`.
  void keep_first(size_t count);
  // Appends an item to an array; a null value becomes an array first.
  void push(Json value);

  // True if both are the same value, of the same kind (1 is not 1.0) and with members in the same order.
  friend bool operator==(const Json& a, const Json& b) { return a.value_ == b.value_; }

  // Indented by two spaces, with a final newline. Numbers are the shortest that read back the same, strings are escaped
  // as by escape::json, and bytes that are not UTF-8 become U+FFFD.
  std::string dump() const;
  // Everything on one line, no newline.
  std::string dump_compact() const;

 private:
  std::variant<std::monostate, bool, int64_t, double, std::string, Array, Object> value_;
};

// Parses strict JSON. Throws Error("NAME:LINE:COLUMN", ...) on malformed text, trailing text and duplicate keys.
Json parse_json(std::string_view text, const std::string& name);

// A place in a JSON document. Every accessor throws Error(where(), ...) when the value has another kind.
class JsonView {
 public:
  // `path` is that of the value in the document: "$.strategy".
  JsonView(const Json& value, std::string file, std::string path = "$")
      : value_(&value), file_(std::move(file)), path_(std::move(path)) {}

  const Json& json() const { return *value_; }
  std::string where() const { return file_ + ": " + path_; }
  const std::string& file() const { return file_; }
  const std::string& path() const { return path_; }
  [[noreturn]] void fail(const std::string& what) const { throw Error(where(), what); }

  bool has(std::string_view key) const;
  // The member; Error when absent.
  JsonView at(std::string_view key) const;
  // Every member (object) or item (array), in order.
  std::vector<std::pair<std::string, JsonView>> members() const;
  std::vector<JsonView> items() const;
  // Throws Error at a member that is not in `known`, suggesting the nearest one.
  void allow_only(const std::vector<std::string>& known) const;

  bool as_bool() const;
  int64_t as_int() const;
  double as_number() const;
  const std::string& as_string() const;
  Seconds as_seconds() const;
  Bytes as_bytes() const;
  BytesPerSecond as_bandwidth() const;
  FlopsPerSecond as_flops_rate() const;

  int64_t int_or(std::string_view key, int64_t fallback) const;
  bool bool_or(std::string_view key, bool fallback) const;
  std::string string_or(std::string_view key, const std::string& fallback) const;

 private:
  [[noreturn]] void expected(const char* kind) const;

  const Json* value_;
  std::string file_;
  std::string path_;
};

// A size as a whole number of bytes; with a fraction where it has one, or is above 2^53 and so not known to the byte.
Json whole_bytes(Bytes size);

}  // namespace foreflow
