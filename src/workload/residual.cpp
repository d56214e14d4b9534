#include "workload/residual.h"

#include "foreflow/ir/type.h"

namespace foreflow::workload {

Value Residual::converted(Network& net, Value x, ir::DType dtype) const {
  return wide_ ? net.op("Cast", {x}, {{"to", std::string(ir::name(dtype))}}) : x;
}

Value Residual::begun(Network& net, Value embedded) const { return converted(net, embedded, ir::DType::f32); }

Value Residual::read(Network& net, Value x) const { return converted(net, x, net.dtype()); }

Value Residual::added(Network& net, Value x, Value layer, const std::string& name) const {
  return net.op("Add", {x, converted(net, layer, ir::DType::f32)}, {}, name);
}

bool read_fp32_residual(const FilledValues& values, const Request& request) {
  const KeyValues& stated = values.stated();
  if (!values.flag("fp32_residual")) return false;
  if (request.mode != Mode::training) stated.fail("fp32_residual", "is for training only; leave it out for inference");
  if (ir::size_of(request.dtype) >= ir::size_of(ir::DType::f32))
    stated.fail("fp32_residual", "changes nothing where \"dtype\" is no narrower than f32; leave it out");
  return true;
}

Key fp32_residual_key() {
  return {"fp32_residual",
          "training: whether the sum of the layers' results is kept in Float32, as under torch.autocast", false,
          Key::Kind::boolean};
}

}  // namespace foreflow::workload
