#include "foreflow/base/json.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "foreflow/base/escape.h"
#include "foreflow/base/suggestion.h"
#include "foreflow/base/text.h"

namespace foreflow {
namespace {

// Builds a Json while nlohmann scans; refuses duplicate keys, which the library would silently overwrite.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::string_view text, const std::string& name) : text_(text), name_(name) {}
  // The document. The library takes a zero byte for the end of the text, whatever follows it.
  Json take() {
    const size_t zero = text_.find('\0');
    if (zero < text_.size()) {
      throw Error(place_of(zero + 1),
                  "malformed JSON: a zero byte; the file should end after the document, or at a line end behind it");
    }
    return std::move(root_);
  }

  bool null() override { return add(Json()); }
  bool boolean(bool value) override { return add(Json(value)); }
  bool number_integer(number_integer_t value) override { return add(Json(int64_t{value})); }
  bool number_unsigned(number_unsigned_t value) override {
    return value <= INT64_MAX ? add(Json(static_cast<int64_t>(value))) : add(Json(static_cast<double>(value)));
  }
  bool number_float(number_float_t value, const string_t&) override { return add(Json(value)); }
  bool string(string_t& value) override { return add(Json(std::move(value))); }
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override { return open(false); }
  bool start_array(size_t) override { return open(true); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& value) override {
    if (!open_.back().names.insert(value).second) {
      throw Error(fmt::format("{}: {}", name_, path()), fmt::format("the key \"{}\" stands twice", value));
    }
    keys_.push_back(value);
    return true;
  }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception& problem) override {
    const std::string_view what = problem.what();
    const size_t id_end         = what.find("] ");
    const size_t syntax         = what.find("syntax error");
    throw Error(place_of(position),
                fmt::format("malformed JSON: {}", what.substr(syntax < what.size() ? syntax : id_end + 2)));
  }

 private:
  // An object or list whose end has not been read yet.
  struct Container {
    bool is_array;
    Json::Array items;
    Json::Object members;
    std::set<std::string> names;  // of the members: objects may be large
  };

  // "NAME:LINE:COLUMN" of the last character that was read; `count` is the number of bytes read.
  std::string place_of(size_t count) const {
    const std::string_view before = text_.substr(0, count > 0 ? count - 1 : 0);
    const size_t line_start       = before.rfind('\n') + 1;  // npos + 1 == 0
    const auto line               = 1 + std::count(before.begin(), before.end(), '\n');
    return fmt::format("{}:{}:{}", name_, line, before.size() - line_start + 1);
  }
  // The innermost open object or list.
  std::string path() const {
    std::string text = "$";
    auto key         = keys_.begin();
    for (size_t i = 0; i + 1 < open_.size(); ++i) {
      text += open_[i].is_array ? fmt::format("[{}]", open_[i].items.size()) : fmt::format(".{}", *key++);
    }
    return text;
  }
  bool add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().is_array) {
      open_.back().items.push_back(std::move(value));
    } else {
      open_.back().members.emplace_back(std::move(keys_.back()), std::move(value));
      keys_.pop_back();
    }
    return true;
  }
  bool open(bool is_array) {
    if (open_.size() > 200) throw Error(name_, "is nested more than 200 deep");
    open_.push_back({is_array, {}, {}, {}});
    return true;
  }
  bool close() {
    Container inner = std::move(open_.back());
    open_.pop_back();
    return add(inner.is_array ? Json(std::move(inner.items)) : Json(std::move(inner.members)));
  }

  std::string_view text_;
  const std::string& name_;
  Json root_;
  std::vector<Container> open_;
  std::vector<std::string> keys_;
};

nlohmann::ordered_json convert(const Json& value) {
  if (const bool* v = value.if_bool()) return *v;
  if (const int64_t* v = value.if_int()) return *v;
  if (const double* v = value.if_double()) return *v;
  if (const std::string* v = value.if_string()) return *v;
  if (const Json::Array* v = value.if_array()) {
    auto out = nlohmann::ordered_json::array();
    for (const Json& item : *v) out.push_back(convert(item));
    return out;
  }
  if (const Json::Object* v = value.if_object()) {
    nlohmann::ordered_json::object_t out;  // whose own way to add a member looks at all others
    for (const auto& [key, item] : *v) out.emplace_back(key, convert(item));
    return out;
  }
  return nullptr;
}

}  // namespace

const Json* Json::find(std::string_view key) const {
  const Object* object = if_object();
  if (object == nullptr) return nullptr;
  for (const auto& [name, value] : *object) {
    if (name == key) return &value;
  }
  return nullptr;
}

size_t Json::size() const {
  if (const Object* object = if_object()) return object->size();
  return if_array() != nullptr ? if_array()->size() : 0;
}

void Json::keep_first(size_t count) {
  Object* object = std::get_if<Object>(&value_);
  if (object != nullptr && object->size() > count) object->resize(count);
}

Json& Json::member(std::string_view key) {
  if (is_null()) value_ = Object{};
  FOREFLOW_CHECK(if_object() != nullptr, "a member of something that is not an object: " + dump_compact());
  Object& object = std::get<Object>(value_);
  for (auto& [name, value] : object) {
    if (name == key) return value;
  }
  return object.emplace_back(std::string(key), Json()).second;
}

Json& Json::set(std::string_view key, Json value) {
  member(key) = std::move(value);
  return *this;
}

void Json::push(Json value) {
  if (is_null()) value_ = Array{};
  FOREFLOW_CHECK(if_array() != nullptr, "an item of something that is not a list: " + dump_compact());
  std::get<Array>(value_).push_back(std::move(value));
}

std::string Json::dump() const {
  return escape::json(convert(*this).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) + "\n";
}
std::string Json::dump_compact() const {
  return escape::json(convert(*this).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

Json parse_json(std::string_view text, const std::string& name) {
  Builder builder(text, name);
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

void JsonView::expected(const char* kind) const {
  constexpr size_t kShown = 60;
  const std::string found = value_->dump_compact();
  fail(fmt::format("expected {}, found {}{}", kind, found.substr(0, kShown), found.size() > kShown ? "..." : ""));
}

bool JsonView::has(std::string_view key) const { return value_->find(key) != nullptr; }

JsonView JsonView::at(std::string_view key) const {
  if (value_->if_object() == nullptr) expected("an object");
  const Json* found = value_->find(key);
  if (found == nullptr) fail(fmt::format("the key \"{}\" is missing", key));
  return {*found, file_, (path_ + ".").append(key)};
}

std::vector<std::pair<std::string, JsonView>> JsonView::members() const {
  if (value_->if_object() == nullptr) expected("an object");
  std::vector<std::pair<std::string, JsonView>> all;
  for (const auto& [key, value] : *value_->if_object())
    all.emplace_back(key, JsonView(value, file_, fmt::format("{}.{}", path_, key)));
  return all;
}

std::vector<JsonView> JsonView::items() const {
  if (value_->if_array() == nullptr) expected("a list");
  std::vector<JsonView> all;
  for (const Json& item : *value_->if_array())
    all.push_back(JsonView(item, file_, fmt::format("{}[{}]", path_, all.size())));
  return all;
}

void JsonView::allow_only(const std::vector<std::string>& known) const {
  const std::set<std::string, std::less<>> allowed(known.begin(), known.end());
  for (const auto& [key, view] : members()) {
    if (!allowed.contains(key))
      throw Error(view.where(), fmt::format("unknown key \"{}\"{}", key, suggestion(key, known)));
  }
}

bool JsonView::as_bool() const {
  if (value_->if_bool() == nullptr) expected("true or false");
  return *value_->if_bool();
}

int64_t JsonView::as_int() const {
  if (value_->if_int() == nullptr) expected("a whole number");
  return *value_->if_int();
}

double JsonView::as_number() const {
  if (const int64_t* whole = value_->if_int()) return static_cast<double>(*whole);
  if (value_->if_double() == nullptr) expected("a number");
  return *value_->if_double();
}

const std::string& JsonView::as_string() const {
  if (value_->if_string() == nullptr) expected("a string");
  return *value_->if_string();
}

Seconds JsonView::as_seconds() const {
  if (value_->if_string() == nullptr) expected("a time with its unit such as \"2us\"");
  return parse_seconds(*value_->if_string(), where());
}

Bytes JsonView::as_bytes() const {
  if (value_->if_string() == nullptr) expected("a size with its unit such as \"64MiB\"");
  return parse_bytes(*value_->if_string(), where());
}

BytesPerSecond JsonView::as_bandwidth() const {
  if (value_->if_string() == nullptr) expected("a bandwidth with its unit such as \"25GBps\"");
  return parse_bandwidth(*value_->if_string(), where());
}

FlopsPerSecond JsonView::as_flops_rate() const {
  if (value_->if_string() == nullptr) expected("a speed with its unit such as \"312Tf\"");
  return parse_flops_rate(*value_->if_string(), where());
}

int64_t JsonView::int_or(std::string_view key, int64_t fallback) const {
  return has(key) ? at(key).as_int() : fallback;
}
bool JsonView::bool_or(std::string_view key, bool fallback) const { return has(key) ? at(key).as_bool() : fallback; }
std::string JsonView::string_or(std::string_view key, const std::string& fallback) const {
  return has(key) ? at(key).as_string() : fallback;
}

Json whole_bytes(Bytes size) {
  const double value = size.value();
  return std::fabs(value) < 0x1p53 && value == std::floor(value) ? Json(static_cast<int64_t>(value)) : Json(value);
}

}  // namespace foreflow
