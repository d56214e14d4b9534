// Tensors whose elements are in a file beside the model.
#include <fstream>

#include "foreflow/base/text.h"
#include "onnx/message.h"
#include "onnx/tensor.h"

namespace foreflow::onnx {
namespace {

using ir::Array;

// The entries of a tensor's `external_data`.
struct ExternalData {
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

ExternalData external_data_of(const onnx_proto::TensorProto& tensor, const std::string& where) {
  ExternalData data;
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") data.location = entry.value();
    if (entry.key() == "offset") data.offset = parse_size(entry.value(), entry.key(), where);
    if (entry.key() == "length") data.length = parse_size(entry.value(), entry.key(), where);
  }
  if (data.location.empty()) throw Error(where, "external_data names no location");
  return data;
}

// Returns true if a location lies outside of the model's folder. A model must not cause files elsewhere to be read.
bool leaves_folder(const std::filesystem::path& location) {
  if (location.is_absolute()) return true;
  const auto normal = location.lexically_normal();
  return normal.begin() != normal.end() && *normal.begin() == "..";
}

// The bytes of a tensor in an existing file, which is long enough.
struct Found {
  std::filesystem::path path;
  int64_t offset, bytes;
};

// Locates the data of a tensor. Nothing if the file does not exist.
std::optional<Found> find(const onnx_proto::TensorProto& tensor, const std::optional<std::filesystem::path>& folder,
                          const std::string& where) {
  const ir::Type type     = tensor_type(tensor, where);
  const ExternalData data = external_data_of(tensor, where);
  if (leaves_folder(data.location)) {
    throw Error(where, "external_data location " + quote(data.location) + " is outside the model's folder");
  }
  const int64_t bytes = stored_bytes(type.dtype, ir::element_count(type.dims));
  if (data.length >= 0 && data.length != bytes) {
    throw Error(where, "external_data length is " + std::to_string(data.length) + " bytes; " + ir::to_string(type) +
                           " needs " + std::to_string(bytes));
  }
  if (!folder) return std::nullopt;
  const auto path = *folder / data.location;
  std::error_code error;
  const auto available = std::filesystem::file_size(path, error);
  if (error) return std::nullopt;
  if (std::cmp_less(available, data.offset) || std::cmp_less(available - static_cast<uintmax_t>(data.offset), bytes)) {
    throw Error(where, path.string() + " ends before byte " + std::to_string(data.offset) + " + " +
                           std::to_string(bytes) + "; it has " + std::to_string(available));
  }
  return Found{path, data.offset, bytes};
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
  std::string raw(static_cast<size_t>(found->bytes), 0);
  file.read(raw.data(), found->bytes);
  if (!file) throw Error(where, "cannot read " + found->path.string());
  set_raw(array, raw);
  return array;
}

}  // namespace foreflow::onnx
