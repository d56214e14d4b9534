#include "onnx/port.h"

#include "foreflow/base/error.h"
#include "foreflow/ir/countable.h"
#include "onnx/dtype.h"

namespace foreflow::onnx {

using onnx_proto::TypeProto;

std::optional<ir::Type> stated_type(const onnx_proto::ValueInfoProto& value, const std::string& where) {
  if (!value.has_type() || value.type().value_case() == TypeProto::VALUE_NOT_SET) return std::nullopt;
  if (!value.type().has_tensor_type())
    throw Error(where, "is a sequence, map, optional or sparse tensor; only dense tensors are supported");
  const TypeProto::Tensor& tensor = value.type().tensor_type();
  const auto dtype                = find_dtype(tensor.elem_type());
  if (!dtype) throw Error(where, "data type " + dtype_text(tensor.elem_type()) + " is not supported");
  if (!tensor.has_shape()) return ir::Type::unranked(*dtype);
  if (static_cast<size_t>(tensor.shape().dim_size()) > ir::Dims::kMaxRank) {
    throw Error(where, std::to_string(tensor.shape().dim_size()) + " dimensions; at most " +
                           std::to_string(ir::Dims::kMaxRank) + " are supported");
  }
  ir::Dims dims;
  for (const auto& dim : tensor.shape().dim()) {
    // Some exporters write -1 for a dimension that they leave open.
    dims.push_back(dim.has_dim_value() && dim.dim_value() >= 0 ? int64_t{dim.dim_value()} : ir::Dims::kUnknown);
  }
  if (!ir::is_countable(dims)) throw Error(where, "the shape " + ir::to_string(dims) + " has more than 2^56 elements");
  return ir::Type::tensor(*dtype, dims);
}

std::vector<std::string> stated_dimensions(const onnx_proto::ValueInfoProto& value) {
  std::vector<std::string> dimensions;
  for (const auto& dim : value.type().tensor_type().shape().dim()) {
    if (dim.has_dim_value() && dim.dim_value() >= 0) {
      dimensions.push_back(std::to_string(dim.dim_value()));
    } else {
      dimensions.push_back(dim.dim_param().empty() ? "?" : dim.dim_param());
    }
  }
  return dimensions;
}

}  // namespace foreflow::onnx
