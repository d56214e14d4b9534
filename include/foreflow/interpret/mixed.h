// The mixed domain: a value is a type and, if it is small, also its elements. It resolves the shapes of real models, in
// which operands of Reshape are computed from other shapes (DistIR paper, section 3.4).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "foreflow/interpret/types.h"

namespace foreflow::interpret {

struct Mixed {
  ir::Type type;
  std::shared_ptr<const ir::Array> known;  // the elements; null for almost all values: not known

  static Mixed of(ir::Type type) { return {std::move(type), nullptr}; }
  static Mixed of(const ir::Array& numbers, ir::Device device = {}) {
    return {numbers.type(device), std::make_shared<const ir::Array>(numbers)};
  }
};

struct MixedDomain {
  using Value                     = Mixed;
  static constexpr bool kMemoised = true;
  // The elements of larger results are not computed. Shapes and masks of one position are smaller, activations larger.
  static constexpr int64_t kLargestKnown = 4096;

  // Computes the most precise results that the inputs allow: elements from elements or from a shape, else types.
  std::vector<Value> apply(const ir::Op& op, std::span<const Value> inputs) const;
  Value absent() const { return {}; }
  Value refine(Value value, const ir::Type& annotation) const;
  template <class F>
  void visit_devices(Value& value, F f) const {
    visit_type_devices(value.type, f);
  }
  void append_key(const Value& value, std::string& key) const;
};

using MixedInterpretation = Interpretation<Mixed>;

// Interprets function `entry` on `arguments`, or on the annotated types of its parameters if there are none.
MixedInterpretation interpret_mixed(const ir::Module& module, size_t entry, const std::vector<Mixed>& arguments = {});

// "%name: TYPE" for every value whose type is not fully known.
std::vector<std::string> unresolved(const ir::Module& module, const MixedInterpretation& interpretation);

}  // namespace foreflow::interpret
