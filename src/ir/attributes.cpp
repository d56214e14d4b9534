#include "foreflow/ir/attributes.h"

#include <fmt/core.h>

#include <cmath>

#include "foreflow/base/error.h"
#include "foreflow/base/escape.h"

namespace foreflow::ir {
namespace {

[[noreturn]] void wrong(std::string_view name, const char* kind) {
  throw PartError(fmt::format("attribute {}", name), fmt::format("must be {}", kind));
}

// A number that reads back as a double: it keeps a '.', an 'e' or a word.
std::string number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

template <class T, class Format>
std::string list(const std::vector<T>& values, Format one) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) text += (i > 0 ? ", " : "") + one(values[i]);
  return text + "]";
}

std::string element(const Array& array, int64_t i) {
  if (array.dtype() == DType::i64) return std::to_string(array.data<int64_t>()[static_cast<size_t>(i)]);
  if (array.dtype() == DType::u64) return std::to_string(array.data<uint64_t>()[static_cast<size_t>(i)]);
  if (!is_float(array.dtype())) return std::to_string(static_cast<int64_t>(array.at(i)));
  if (array.dtype() == DType::f64) return number(array.at(i));
  const double value = array.at(i);
  return std::isfinite(value) ? fmt::format("{}", static_cast<float>(value)) : number(value);
}

std::string literal(const Array& array) {
  std::string text = std::string(name(array.dtype())) + to_string(array.dims()) + "[";
  for (int64_t i = 0; i < array.size(); ++i) text += (i > 0 ? ", " : "") + element(array, i);
  return text + "]";
}

}  // namespace

const Attribute* Attributes::find(std::string_view name) const {
  for (const auto& [key, value] : entries_) {
    if (key == name) return &value;
  }
  return nullptr;
}

Attributes& Attributes::set(std::string name, Attribute value) {
  for (auto& [key, old] : entries_) {
    if (key == name) {
      old = std::move(value);
      return *this;
    }
  }
  entries_.emplace_back(std::move(name), std::move(value));
  return *this;
}

Attributes& Attributes::erase(std::string_view name) {
  std::erase_if(entries_, [&](const auto& entry) { return entry.first == name; });
  return *this;
}

int64_t Attributes::int_or(std::string_view name, int64_t fallback) const {
  return find(name) == nullptr ? fallback : get_int(name);
}

int64_t Attributes::get_int(std::string_view name) const {
  const Attribute* value = find(name);
  if (value == nullptr) wrong(name, "given");
  if (const auto* number = std::get_if<int64_t>(value)) return *number;
  wrong(name, "an integer");
}

double Attributes::float_or(std::string_view name, double fallback) const {
  const Attribute* value = find(name);
  if (value == nullptr) return fallback;
  if (const auto* number = std::get_if<double>(value)) return *number;
  if (const auto* number = std::get_if<int64_t>(value)) return static_cast<double>(*number);
  wrong(name, "a number");
}

std::string Attributes::string_or(std::string_view name, std::string fallback) const {
  const Attribute* value = find(name);
  if (value == nullptr) return fallback;
  if (const auto* text = std::get_if<std::string>(value)) return *text;
  wrong(name, "a string");
}

std::optional<std::vector<int64_t>> Attributes::find_ints(std::string_view name) const {
  const Attribute* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (const auto* ints = std::get_if<std::vector<int64_t>>(value)) return *ints;
  if (const auto* number = std::get_if<int64_t>(value)) return std::vector<int64_t>{*number};
  if (const auto* array = std::get_if<Array>(value)) return array->to_ints();
  wrong(name, "a list of integers");
}

std::vector<int64_t> Attributes::get_ints(std::string_view name) const {
  auto ints = find_ints(name);
  if (!ints) wrong(name, "given");
  return *std::move(ints);
}

Device Attributes::get_device(std::string_view name) const {
  const Attribute* value = find(name);
  if (value == nullptr) wrong(name, "given");
  if (const auto* device = std::get_if<Device>(value)) return *device;
  if (const auto* number = std::get_if<int64_t>(value); number != nullptr && *number >= 0 && *number <= INT32_MAX) {
    return Device(static_cast<int32_t>(*number));
  }
  wrong(name, "a device such as 2 or 2.comm");
}

const Array* Attributes::find_array(std::string_view name) const {
  const Attribute* value = find(name);
  return value == nullptr ? nullptr : std::get_if<Array>(value);
}

std::string to_string(const Attribute& value) {
  struct Printer {
    std::string operator()(int64_t v) const { return std::to_string(v); }
    std::string operator()(double v) const { return number(v); }
    std::string operator()(const std::string& v) const { return escape::quoted(v); }
    std::string operator()(const std::vector<int64_t>& v) const {
      return list(v, [](int64_t i) { return std::to_string(i); });
    }
    std::string operator()(const std::vector<double>& v) const { return list(v, number); }
    std::string operator()(const std::vector<std::string>& v) const { return list(v, escape::quoted); }
    std::string operator()(const Device& v) const { return to_string(v); }
    std::string operator()(const Array& v) const { return literal(v); }
  };
  return std::visit(Printer{}, value);
}

}  // namespace foreflow::ir
