#include "binary/tables.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "foreflow/ir/countable.h"
#include "foreflow/ir/names.h"

namespace foreflow::binary {

static_assert(std::endian::native == std::endian::little, "numbers are little-endian and are copied as they are");

Tables::Tables(const pb::Module& message, const std::string& name) : name_(name), message_(message) {
  for (const pb::Type& type : message.types()) types_.push_back(std::make_shared<const ir::Type>(read(type, 0)));
  attributes_.push_back(std::make_shared<const ir::Attributes>());
  for (const pb::Attributes& list : message.attributes()) {
    attributes_.push_back(std::make_shared<const ir::Attributes>(read(list)));
  }
}

void Tables::check(uint32_t number, size_t size, const char* kind) const {
  if (number > size) fail(fmt::format("points to {} {} of {}", kind, number, size));
}

const std::string& Tables::text(uint32_t number) const {
  static const std::string kNone;
  check(number, static_cast<size_t>(message_.strings_size()), "string");
  return number == 0 ? kNone : message_.strings(static_cast<int>(number) - 1);
}

ir::TypeRef Tables::type(uint32_t number) const {
  check(number, types_.size(), "type");
  return number == 0 ? nullptr : types_[number - 1];
}

ir::AttributesRef Tables::attributes(uint32_t number) const {
  check(number, attributes_.size() - 1, "attributes");
  return attributes_[number];
}

ir::DType Tables::dtype(uint32_t number) const {
  const std::string& name = text(number);
  const auto found        = ir::find_dtype(name);
  if (!found) fail(fmt::format("has the unknown data type \"{}\"", name));
  return *found;
}

ir::Device Tables::device(const pb::Device& message) const {
  const std::string& stream = text(message.stream());
  if (message.number() > INT32_MAX)
    fail(fmt::format("has the device number {}; the largest is {}", message.number(), INT32_MAX));
  if (!stream.empty() && (!ir::is_word(stream) || stream.size() > ir::Device().stream.size())) {
    fail(fmt::format("\"{}\" cannot name a stream", stream));
  }
  return ir::Device(static_cast<int32_t>(message.number()), stream);
}

ir::Type Tables::read(const pb::Type& message, int depth) const {
  const ir::Device place = message.has_device() ? device(message.device()) : ir::Device();
  switch (message.kind()) {
    case pb::Type::UNKNOWN: return ir::Type::on(place);
    case pb::Type::SCALAR: return ir::Type::scalar(dtype(message.dtype()), place);
    case pb::Type::UNRANKED: return ir::Type::unranked(dtype(message.dtype()), place);
    case pb::Type::TENSOR: {
      if (message.dims_size() > static_cast<int>(ir::Dims::kMaxRank))
        fail(fmt::format("a shape has {} dimensions", message.dims_size()));
      ir::Dims dims;
      for (const int64_t dim : message.dims()) {
        if (dim < ir::Dims::kUnknown) fail(fmt::format("a dimension is {}", dim));
        dims.push_back(dim);
      }
      if (!ir::is_countable(dims)) fail("the shape " + ir::to_string(dims) + " has more than 2^56 elements");
      return ir::Type::tensor(dtype(message.dtype()), dims, place);
    }
    case pb::Type::TUPLE: {
      if (depth == ir::kDeepestType) fail(fmt::format("tuples are nested more than {} deep", ir::kDeepestType));
      std::vector<ir::Type> elements;
      for (const pb::Type& element : message.elements()) elements.push_back(read(element, depth + 1));
      return ir::Type::tuple(std::move(elements));
    }
    default: fail(fmt::format("a type is of the unknown kind {}", static_cast<int>(message.kind())));
  }
}

// The numbers of an array stand in the file, which bounds its dimensions before memory is asked for.
ir::Array Tables::read(const pb::Array& message) const {
  const ir::DType dtype = this->dtype(message.dtype());
  const auto available  = static_cast<uint64_t>(message.data().size());
  if (message.dims_size() > static_cast<int>(ir::Dims::kMaxRank))
    fail(fmt::format("a shape has {} dimensions", message.dims_size()));
  const bool empty = std::find(message.dims().begin(), message.dims().end(), 0U) != message.dims().end();
  uint64_t count   = empty ? 0 : 1;
  ir::Dims dims;
  for (const uint64_t dim : message.dims()) {
    if (dim > INT32_MAX || count * dim > available)
      fail(fmt::format("a constant has a dimension of {} and {} bytes", dim, available));
    count *= dim;
    dims.push_back(static_cast<int64_t>(dim));
  }
  if (count * static_cast<uint64_t>(ir::size_of(dtype)) != available) {
    fail(fmt::format("a constant {} has {} bytes", ir::to_string(ir::Type::tensor(dtype, dims)), available));
  }
  ir::Array array(dtype, dims);
  const bool boolean = dtype == ir::DType::boolean;
  if (boolean && std::any_of(message.data().begin(), message.data().end(), [](char c) { return c != 0 && c != 1; })) {
    fail("a truth value is neither 0 nor 1");
  }
  const bool has_sign = dtype == ir::DType::i4;
  if (ir::bits_of(dtype) == 4 && std::any_of(message.data().begin(), message.data().end(), [&](char c) {
        const int number = has_sign ? static_cast<signed char>(c) : static_cast<unsigned char>(c);
        return number < (has_sign ? -8 : 0) || number > (has_sign ? 7 : 15);
      })) {
    fail("a number of 4 bits has more of them");
  }
  std::copy_n(reinterpret_cast<const std::byte*>(message.data().data()), available, array.mutable_bytes());
  return array;
}

ir::Attribute Tables::read(const pb::Attribute& message) const {
  switch (message.value_case()) {
    case pb::Attribute::kInteger: return message.integer();
    case pb::Attribute::kReal: return message.real();
    case pb::Attribute::kText: return text(message.text());
    case pb::Attribute::kIntegers:
      return std::vector<int64_t>(message.integers().items().begin(), message.integers().items().end());
    case pb::Attribute::kReals:
      return std::vector<double>(message.reals().items().begin(), message.reals().items().end());
    case pb::Attribute::kTexts: {
      std::vector<std::string> texts;
      for (const uint32_t number : message.texts().items()) texts.push_back(text(number));
      return texts;
    }
    case pb::Attribute::kDevice: return device(message.device());
    case pb::Attribute::kArray: return read(message.array());
    case pb::Attribute::VALUE_NOT_SET: break;
  }
  fail(fmt::format("the attribute \"{}\" has no value", text(message.name())));
}

ir::Attributes Tables::read(const pb::Attributes& message) const {
  ir::Attributes attributes;
  for (const pb::Attribute& entry : message.entries()) {
    const std::string& name = text(entry.name());
    if (!ir::is_word(name)) fail(fmt::format("\"{}\" cannot name an attribute", name));
    if (attributes.find(name) != nullptr) fail(fmt::format("the attribute {} is given twice", name));
    attributes.set(name, read(entry));
  }
  return attributes;
}

}  // namespace foreflow::binary
