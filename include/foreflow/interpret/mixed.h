// The mixed domain: a value is a type and, where it is cheap to know, the numbers themselves. This is what resolves the
// shapes of real models, whose Reshape operands are computed from other shapes (DistIR paper, section 3.4).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "foreflow/interpret/types.h"

namespace foreflow::interpret {

struct Mixed {
  ir::Type type;
  std::shared_ptr<const ir::Array> known;  // of the same data type and shape; null: not known, as for almost all values

  static Mixed of(ir::Type type) { return {std::move(type), nullptr}; }
  static Mixed of(const ir::Array& numbers, ir::Device device = {}) {
    return {numbers.type(device), std::make_shared<const ir::Array>(numbers)};
  }
};

struct MixedDomain {
  using Value                     = Mixed;
  static constexpr bool kMemoised = true;
  // Results with more elements stay abstract; shapes and masks of one position fit, activations do not.
  static constexpr int64_t kLargestKnown = 4096;

  // Picks the most precise implementation that the inputs allow: numbers from numbers, numbers from a shape, types.
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

// Interprets function `entry` with its parameters' annotated types, or with `arguments` where they are given.
MixedInterpretation interpret_mixed(const ir::Module& module, size_t entry, const std::vector<Mixed>& arguments = {});

// "%name: TYPE" of every value of an instance whose type is not fully known.
std::vector<std::string> unresolved(const ir::Module& module, const MixedInterpretation& interpretation);

}  // namespace foreflow::interpret
