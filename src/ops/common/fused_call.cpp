#include "ops/common/fused_call.h"

#include "ops/common/fused_activation.h"

namespace foreflow::ops {

bool FusedCall::has_any(size_t from) const {
  for (size_t i = from; i < builder.call().arity(); ++i) {
    if (has(i)) return true;
  }
  return false;
}

int FusedCall::number(double number, DType dtype) const {
  const int made = emit("Constant", {}, {{"value", Array::scalar(static_cast<float>(number))}});
  return dtype == DType::f32 ? made : emit("Cast", {made}, {{"to", std::string(ir::name(dtype))}});
}

int FusedCall::integers(const std::vector<int64_t>& list) const {
  return emit("Constant", {}, {{"value", Array::of_ints({static_cast<int64_t>(list.size())}, list)}});
}

int activated_call(const FusedCall& fused, int x) {
  FusedActivation activation = fused_activation(fused.attributes());
  return fused.emit(activation.name, {x}, std::move(activation.attributes));
}

Attributes without_activation(const Attributes& attributes) {
  Attributes rest;
  for (const auto& [name, value] : attributes) {
    if (!name.starts_with("activation")) rest.set(name, value);
  }
  return rest;
}

}  // namespace foreflow::ops
