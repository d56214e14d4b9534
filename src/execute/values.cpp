#include "execute/values.h"

#include <algorithm>
#include <cstring>

namespace foreflow::execute {
namespace {

int64_t border(int64_t size, size_t index, size_t parts) {
  return size * static_cast<int64_t>(index) / static_cast<int64_t>(parts);
}

void append(std::string& bytes, int64_t number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

// Takes from the front of what it was given; everything was written by this module.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  bool at_end() const { return bytes_.empty(); }

  std::string_view take(size_t count) {
    FOREFLOW_CHECK(count <= bytes_.size(), "bytes of a value or text that end too early");
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }

  int64_t number() {
    int64_t value = 0;
    std::memcpy(&value, take(sizeof(value)).data(), sizeof(value));
    return value;
  }

  ir::Array array() {
    constexpr int64_t kTuple = -1;
    const int64_t kind       = number();
    const int64_t count      = number();
    if (kind == kTuple) {
      std::vector<ir::Array> elements;
      for (int64_t i = 0; i < count; ++i) elements.push_back(array());
      return ir::Array::tuple(std::move(elements));
    }
    ir::Dims dims;
    for (int64_t i = 0; i < count; ++i) dims.push_back(number());
    ir::Array result(static_cast<ir::DType>(kind), dims);
    const std::string_view numbers = take(result.byte_count());
    std::copy(numbers.begin(), numbers.end(), reinterpret_cast<char*>(result.mutable_bytes()));
    return result;
  }

 private:
  std::string_view bytes_;
};

void append(std::string& bytes, const ir::Array& value) {
  if (value.is_tuple()) {
    append(bytes, -1);
    append(bytes, static_cast<int64_t>(value.elements().size()));
    for (const ir::Array& element : value.elements()) append(bytes, element);
    return;
  }
  append(bytes, static_cast<int64_t>(value.dtype()));
  append(bytes, static_cast<int64_t>(value.dims().size()));
  for (const int64_t dim : value.dims()) append(bytes, dim);
  bytes.append(reinterpret_cast<const char*>(value.bytes()), value.byte_count());
}

void collect(const ir::Array& value, std::vector<std::span<const std::byte>>& all) {
  if (!value.is_tuple()) return all.emplace_back(value.bytes(), value.byte_count()), void();
  for (const ir::Array& element : value.elements()) collect(element, all);
}

}  // namespace

ir::Array blank(const ir::Type& type) {
  if (!type.is_tuple()) return {type.dtype, type.dims};
  std::vector<ir::Array> elements;
  for (const ir::Type& element : type.elements) elements.push_back(blank(element));
  return ir::Array::tuple(std::move(elements));
}

std::vector<std::span<const std::byte>> leaves(const ir::Array& value) {
  std::vector<std::span<const std::byte>> all;
  collect(value, all);
  return all;
}

std::vector<std::span<std::byte>> mutable_leaves(ir::Array& value) {
  if (!value.is_tuple()) return {{value.mutable_bytes(), value.byte_count()}};
  std::vector<std::span<std::byte>> all;
  for (ir::Array element : value.elements()) {  // a copy shares the numbers
    const auto inner = mutable_leaves(element);
    all.insert(all.end(), inner.begin(), inner.end());
  }
  return all;
}

ir::Type run_type(const ir::Type& type, size_t index, size_t parts) {
  if (!type.is_tuple()) {
    const int64_t size = ir::element_count(type.dims);
    return ir::Type::tensor(type.dtype, ir::Dims{border(size, index + 1, parts) - border(size, index, parts)});
  }
  std::vector<ir::Type> elements;
  for (const ir::Type& element : type.elements) elements.push_back(run_type(element, index, parts));
  return ir::Type::tuple(std::move(elements));
}

ir::Array run_of(const ir::Array& value, size_t index, size_t parts) {
  if (!value.is_tuple()) {
    ir::Array run     = blank(run_type(value.type(), index, parts));
    const auto* begin = value.bytes() + border(value.size(), index, parts) * ir::size_of(value.dtype());
    std::copy(begin, begin + run.byte_count(), run.mutable_bytes());
    return run;
  }
  std::vector<ir::Array> elements;
  for (const ir::Array& element : value.elements()) elements.push_back(run_of(element, index, parts));
  return ir::Array::tuple(std::move(elements));
}

ir::Array join_runs(const ir::Type& type, std::span<const ir::Array> runs) {
  if (!type.is_tuple()) {
    ir::Array whole = blank(type);
    auto* place     = whole.mutable_bytes();
    for (const ir::Array& run : runs) place = std::copy(run.bytes(), run.bytes() + run.byte_count(), place);
    return whole;
  }
  std::vector<ir::Array> elements;
  for (size_t e = 0; e < type.elements.size(); ++e) {
    std::vector<ir::Array> column;
    for (const ir::Array& run : runs) column.push_back(run.elements()[e]);
    elements.push_back(join_runs(type.elements[e], column));
  }
  return ir::Array::tuple(std::move(elements));
}

std::string to_bytes(const ir::Array& value) {
  std::string bytes;
  append(bytes, value);
  return bytes;
}

ir::Array value_from(std::string_view bytes) { return Reader(bytes).array(); }

std::string pack(const std::vector<std::string>& parts) {
  std::string bytes;
  for (const std::string& part : parts) {
    append(bytes, static_cast<int64_t>(part.size()));
    bytes += part;
  }
  return bytes;
}

std::vector<std::string> unpack(std::string_view bytes) {
  std::vector<std::string> parts;
  for (Reader reader(bytes); !reader.at_end();) parts.emplace_back(reader.take(static_cast<size_t>(reader.number())));
  return parts;
}

}  // namespace foreflow::execute
