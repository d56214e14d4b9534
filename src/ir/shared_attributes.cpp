#include "foreflow/ir/shared_attributes.h"

#include <algorithm>

namespace foreflow::ir {
namespace {

template <class T>
void append_bytes(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// Lengths stand before what they count, so that no two lists run together to the same bytes.
struct KeyWriter {
  std::string& key;

  void operator()(int64_t value) const { append_bytes(key, value); }
  void operator()(double value) const { append_bytes(key, value); }
  void operator()(std::string_view value) const {
    append_bytes(key, value.size());
    key += value;
  }
  template <class T>
  void operator()(const std::vector<T>& values) const {
    append_bytes(key, values.size());
    for (const T& value : values) (*this)(value);
  }
  void operator()(const Device& value) const {
    append_bytes(key, value.index);
    (*this)(value.stream_name());
  }
  void operator()(const Array& value) const {
    append_bytes(key, value.is_tuple());
    if (value.is_tuple()) return (*this)(value.elements());
    append_bytes(key, value.dtype());
    append_bytes(key, value.dims().size());
    for (const int64_t dim : value.dims()) append_bytes(key, dim);
    key.append(reinterpret_cast<const char*>(value.bytes()), value.byte_count());
  }
};

bool is_large(const Attributes& attributes) {
  return std::any_of(attributes.begin(), attributes.end(), [](const auto& entry) {
    const auto* array = std::get_if<Array>(&entry.second);
    return array != nullptr && !array->is_tuple() && array->byte_count() > SharedAttributes::kLargestCompared;
  });
}

}  // namespace

void append_key(const Attributes& attributes, std::string& key) {
  const KeyWriter write{key};
  for (const auto& [name, value] : attributes) {
    write(name);
    append_bytes(key, value.index());
    std::visit(write, value);
  }
}

AttributesRef SharedAttributes::operator()(Attributes attributes) {
  static const AttributesRef kNone = std::make_shared<const Attributes>();
  if (attributes.empty()) return kNone;
  if (is_large(attributes)) return std::make_shared<const Attributes>(std::move(attributes));
  std::string key;
  append_key(attributes, key);
  AttributesRef& known = known_[std::move(key)];
  if (known == nullptr) known = std::make_shared<const Attributes>(std::move(attributes));
  return known;
}

}  // namespace foreflow::ir
