// The type domain: data types, shapes and devices. Shapes that depend on the elements of tensors are unknown here; the
// mixed domain (mixed.h) resolves them.
#pragma once

#include <span>
#include <vector>

#include "foreflow/interpret/interpreter.h"

namespace foreflow::interpret {

// The types of the results of `op`, with their devices. known[i] holds the elements of input i, or null. The operands
// of an op that is not a communication must live on one device or on none; its results live there.
std::vector<ir::Type> infer_placed(const ir::Op& op, std::span<const ir::Type> inputs,
                                   std::span<const ir::Array* const> known);

// The device of all inputs that are placed. Throws Error if they are on several devices.
ir::Device common_device(std::span<const ir::Type> inputs);

// Returns the type that agrees with both the inferred type and the annotation, with all that either of them knows.
// Throws Error if they contradict each other.
ir::Type refined(ir::Type inferred, const ir::Type& annotation);

void append_key(const ir::Type& type, std::string& key);

template <class F>
void visit_type_devices(ir::Type& type, F f) {
  f(type.device);
  for (ir::Type& element : type.elements) visit_type_devices(element, f);
}

struct TypeDomain {
  using Value                     = ir::Type;
  static constexpr bool kMemoised = true;
  std::vector<Value> apply(const ir::Op& op, std::span<const Value> inputs) const;
  Value absent() const { return {}; }
  Value refine(Value value, const ir::Type& annotation) const { return refined(std::move(value), annotation); }
  template <class F>
  void visit_devices(Value& value, F f) const {
    visit_type_devices(value, f);
  }
  void append_key(const Value& value, std::string& key) const { interpret::append_key(value, key); }
};

// The annotated types of the parameters; unknown where there is no annotation.
std::vector<ir::Type> parameter_types(const ir::Function& function);

}  // namespace foreflow::interpret
