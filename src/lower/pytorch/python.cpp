#include "lower/pytorch/python.h"

#include <fmt/core.h>

#include <cctype>
#include <cmath>
#include <cstring>

#include "foreflow/base/error.h"
#include "foreflow/base/escape.h"
#include "foreflow/base/text.h"
#include "lower/pytorch/runtime.h"

namespace foreflow::lower::python {
namespace {

// Arrays up to this size are written as numbers, which people can read.
constexpr int64_t kReadable = 16;

template <class T>
std::vector<std::string> words_of(std::span<const T> values) {
  std::vector<std::string> words;
  for (const T& value : values) words.push_back(fmt::format("{}", value));
  return words;
}

bool same_element(const ir::Array& array) {
  const size_t width = array.byte_count() / static_cast<size_t>(std::max<int64_t>(array.size(), 1));
  for (int64_t i = 1; i < array.size(); ++i) {
    if (std::memcmp(array.bytes(), array.bytes() + static_cast<size_t>(i) * width, width) != 0) return false;
  }
  return array.size() > 0;
}

std::string element(const ir::Array& array, int64_t index) {
  if (array.dtype() == ir::DType::boolean) return array.at(index) != 0 ? "True" : "False";
  if (array.dtype() == ir::DType::i64) return std::to_string(array.data<int64_t>()[static_cast<size_t>(index)]);
  return number(array.at(index));
}

std::string base64(const std::byte* bytes, size_t count) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  for (size_t i = 0; i < count; i += 3) {
    uint32_t block = 0;
    for (size_t k = 0; k < 3; ++k) block = block << 8U | (i + k < count ? std::to_integer<uint32_t>(bytes[i + k]) : 0U);
    for (size_t k = 0; k < 4; ++k) result += i + k > count ? '=' : kDigits[block >> (18U - 6U * k) & 63U];
  }
  return result;
}

}  // namespace

std::string_view dtype(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::f64: return "float64";
    case ir::DType::f32: return "float32";
    case ir::DType::f16: return "float16";
    case ir::DType::bf16: return "bfloat16";
    case ir::DType::f8: return "float8";
    case ir::DType::i64: return "int64";
    case ir::DType::i32: return "int32";
    case ir::DType::i16: return "int16";
    case ir::DType::i8: return "int8";
    case ir::DType::u8: return "uint8";
    case ir::DType::boolean: return "boolean";
    case ir::DType::f8e4m3fnuz:
    case ir::DType::f8e5m2:
    case ir::DType::f8e5m2fnuz:
    case ir::DType::f8e8m0:
    case ir::DType::f4e2m1:
    case ir::DType::i4:
    case ir::DType::u4:
    case ir::DType::u64:
    case ir::DType::u32:
    case ir::DType::u16: break;
  }
  throw PartError(
      "type", "is " + std::string(ir::short_name(dtype)) + "; one that PyTorch computes with, as i64, would be right");
}

std::string number(double value) { return std::isnan(value) ? "nan" : fmt::format("{}", value); }

std::string list(const std::vector<int64_t>& values) {
  return "[" + join(words_of(std::span<const int64_t>(values))) + "]";
}

std::string tuple(const std::vector<std::string>& elements) {
  return "(" + join(elements) + (elements.size() == 1 ? ",)" : ")");
}

std::string tuple(std::span<const int64_t> values) { return tuple(words_of(values)); }

std::string literal(const ir::Attribute& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&value)) return number(*real);
  if (const auto* word = std::get_if<std::string>(&value)) return escape::python(*word);
  if (const auto* ints = std::get_if<std::vector<int64_t>>(&value)) return list(*ints);
  std::vector<std::string> words;
  if (const auto* reals = std::get_if<std::vector<double>>(&value)) {
    for (const double real : *reals) words.push_back(number(real));
  } else if (const auto* strings = std::get_if<std::vector<std::string>>(&value)) {
    for (const std::string& word : *strings) words.push_back(escape::python(word));
  } else {
    throw PartError("attribute", "is a device or a tensor; a number, a word or a list would be right");
  }
  return "[" + join(words) + "]";
}

std::string constant(const ir::Array& array) {
  const std::string shape  = tuple(std::span<const int64_t>(array.dims().begin(), array.dims().end()));
  const std::string suffix = ", " + shape + ", " + std::string(dtype(array.dtype())) + ")";
  if (same_element(array)) return "constant((" + element(array, 0) + ",)" + suffix;
  if (array.size() > kReadable) return "constant('" + base64(array.bytes(), array.byte_count()) + "'" + suffix;
  std::vector<std::string> elements;
  for (int64_t i = 0; i < array.size(); ++i) elements.push_back(element(array, i));
  return "constant(" + tuple(elements) + suffix;
}

std::string like(const ir::Type& type) {
  if (!type.resolved()) {
    throw PartError("type", "is " + ir::to_string(type) + "; a type whose every dimension is known would be right");
  }
  if (type.is_tuple()) {
    std::vector<std::string> elements;
    for (const ir::Type& element : type.elements) elements.push_back(like(element));
    return "[" + join(elements) + "]";
  }
  return "(" + tuple(std::span<const int64_t>(type.dims.begin(), type.dims.end())) + ", " +
         std::string(dtype(type.dtype)) + ")";
}

std::string signature(const ir::Type& type) {
  if (type.kind == ir::Type::Kind::unknown) return "?";
  std::vector<std::string> words;
  if (type.is_tuple()) {
    for (const ir::Type& element : type.elements) words.push_back(signature(element));
    return "(" + join(words) + ")";
  }
  for (const int64_t dim : type.dims) words.push_back(dim == ir::Dims::kUnknown ? "?" : std::to_string(dim));
  return std::string(ir::short_name(type.dtype)) + "[" + join(words, ",") + "]";
}

std::string identifier(std::string_view name, Scope scope) {
  std::string result;
  for (const char c : name) result += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result[0])) != 0) result = "v" + result;
  const auto& taken  = scope == Scope::script ? runtime::script_names() : runtime::reserved_names();
  const bool special = result.starts_with("__") && result.ends_with("__");
  return special || taken.contains(result) ? result + "_" : result;
}

}  // namespace foreflow::lower::python
