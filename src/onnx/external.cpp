// Tensors whose numbers lie in a file beside the model.
#include <fstream>

#include "foreflow/base/text.h"
#include "onnx/message.h"
#include "onnx/tensor.h"

namespace foreflow::onnx {
namespace {

using ir::Array;

struct Place {
  std::string location;
  int64_t offset = 0;
  int64_t length = -1;  // negative: as long as the tensor
};

int64_t parse_size(const std::string& text, const std::string& key, const std::string& where) {
  const auto value = parse_number<int64_t>(text);
  if (!value || *value < 0)
    throw Error(where, "external_data " + key + " " + quote(text) + " is not a number of bytes");
  return *value;
}

Place place_of(const onnx_proto::TensorProto& tensor, const std::string& where) {
  Place place;
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") place.location = entry.value();
    if (entry.key() == "offset") place.offset = parse_size(entry.value(), entry.key(), where);
    if (entry.key() == "length") place.length = parse_size(entry.value(), entry.key(), where);
  }
  if (place.location.empty()) throw Error(where, "external_data names no location");
  return place;
}

// A model must not make us read files elsewhere.
bool leaves_folder(const std::filesystem::path& location) {
  if (location.is_absolute()) return true;
  const auto normal = location.lexically_normal();
  return normal.begin() != normal.end() && *normal.begin() == "..";
}

// Where the bytes of a tensor are, once it is known that they are.
struct Found {
  std::filesystem::path path;
  int64_t offset, bytes;
};

// Nothing when the file does not exist.
std::optional<Found> find(const onnx_proto::TensorProto& tensor, const std::optional<std::filesystem::path>& folder,
                          const std::string& where) {
  const ir::Type type = tensor_type(tensor, where);
  const Place place   = place_of(tensor, where);
  if (leaves_folder(place.location)) {
    throw Error(where, "external_data location " + quote(place.location) + " is outside the model's folder");
  }
  const int64_t bytes = ir::element_count(type.dims) * ir::size_of(type.dtype);
  if (place.length >= 0 && place.length != bytes) {
    throw Error(where, "external_data length is " + std::to_string(place.length) + " bytes; " + ir::to_string(type) +
                           " needs " + std::to_string(bytes));
  }
  if (!folder) return std::nullopt;
  const auto path = *folder / place.location;
  std::error_code error;
  const auto available = std::filesystem::file_size(path, error);
  if (error) return std::nullopt;
  if (std::cmp_less(available, place.offset) ||
      std::cmp_less(available - static_cast<uintmax_t>(place.offset), bytes)) {
    throw Error(where, path.string() + " ends before byte " + std::to_string(place.offset) + " + " +
                           std::to_string(bytes) + "; it has " + std::to_string(available));
  }
  return Found{path, place.offset, bytes};
}

}  // namespace

void check_external(const onnx_proto::TensorProto& tensor, const std::optional<std::filesystem::path>& folder,
                    const std::string& where) {
  find(tensor, folder, where);
}

std::optional<Array> read_external(const onnx_proto::TensorProto& tensor, const std::filesystem::path& folder,
                                   const std::string& where) {
  const std::optional<Found> found = find(tensor, folder, where);
  if (!found) return std::nullopt;
  const ir::Type type = tensor_type(tensor, where);
  Array array(type.dtype, type.dims);
  std::ifstream file(found->path, std::ios::binary);
  file.seekg(found->offset);
  file.read(reinterpret_cast<char*>(array.mutable_bytes()), found->bytes);
  if (!file) throw Error(where, "cannot read " + found->path.string());
  if (type.dtype == ir::DType::boolean) {
    for (int64_t i = 0; i < found->bytes; ++i) array.mutable_bytes()[i] = std::byte{array.bytes()[i] != std::byte{}};
  }
  return array;
}

}  // namespace foreflow::onnx
