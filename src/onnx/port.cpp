#include "onnx/port.h"

#include "foreflow/base/error.h"
#include "foreflow/ir/countable.h"
#include "onnx/dtype.h"

namespace foreflow::onnx {

using onnx_proto::TypeProto;

namespace {

// The type without `optional` and `sequence` around it.
const TypeProto& inner_type(const TypeProto& type) {
  if (type.has_optional_type()) return inner_type(type.optional_type().elem_type());
  return type.has_sequence_type() ? type.sequence_type().elem_type() : type;
}

}  // namespace

Form form_of(const onnx_proto::ValueInfoProto& value, const std::string& where) {
  const bool optional   = value.type().has_optional_type();
  const TypeProto& type = optional ? value.type().optional_type().elem_type() : value.type();
  const TypeProto& held = inner_type(type);
  if (held.value_case() != TypeProto::VALUE_NOT_SET && !held.has_tensor_type())
    throw Error(where,
                "is a map, a sparse tensor or a sequence of sequences; only dense tensors, sequences of them "
                "and optional ones are supported");
  if (type.has_sequence_type()) return optional ? Form::optional_sequence : Form::sequence;
  return optional ? Form::optional_tensor : Form::tensor;
}

std::optional<ir::Type> stated_type(const onnx_proto::ValueInfoProto& value, const std::string& where) {
  form_of(value, where);
  const TypeProto& type = inner_type(value.type());
  if (type.value_case() == TypeProto::VALUE_NOT_SET) return std::nullopt;
  const TypeProto::Tensor& tensor = type.tensor_type();
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
  for (const auto& dim : inner_type(value.type()).tensor_type().shape().dim()) {
    if (dim.has_dim_value() && dim.dim_value() >= 0) {
      dimensions.push_back(std::to_string(dim.dim_value()));
    } else {
      dimensions.push_back(dim.dim_param().empty() ? "?" : dim.dim_param());
    }
  }
  return dimensions;
}

}  // namespace foreflow::onnx
