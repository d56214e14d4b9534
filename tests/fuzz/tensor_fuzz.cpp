// Tensor files (ONNX TensorProto): parsed, and printed to the same tensor.
#include "foreflow/onnx/tensor_file.h"
#include "fuzz/form.h"

namespace foreflow::fuzz::definitions::tensor_form {
namespace {

void take(std::string_view bytes) {
  const onnx::NamedArray tensor = onnx::parse_tensor(bytes, "fuzz.pb");
  const std::string printed     = onnx::print_tensor(tensor);
  const auto again = surely("printed tensors parse", [&] { return onnx::parse_tensor(printed, "printed"); });
  FOREFLOW_CHECK(again.array == tensor.array && again.name == tensor.name, "print then parse is the identity");
}

}  // namespace

Form row() { return {"tensor", take}; }

}  // namespace foreflow::fuzz::definitions::tensor_form
