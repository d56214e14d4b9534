// The type domain: data types, shapes and devices. Shapes that depend on numbers stay unknown here; see mixed.h.
#pragma once

#include <span>
#include <vector>

#include "foreflow/interpret/interpreter.h"

namespace foreflow::interpret {

// What `op` gives for inputs of these types, on their device. `known[i]` may be null. Device rule: the operands of an
// op that is not a communication live on one device (or on none), and so do its results.
std::vector<ir::Type> infer_placed(const ir::Op& op, std::span<const ir::Type> inputs,
                                   std::span<const ir::Array* const> known);

// The one device of all placed inputs. Error when there are two.
ir::Device common_device(std::span<const ir::Type> inputs);

// The more precise of what was inferred and what was written down. Error when they contradict.
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

// The types that the parameters of `function` state; unknown where they state nothing.
std::vector<ir::Type> parameter_types(const ir::Function& function);

}  // namespace foreflow::interpret
