// The subject of all analyses: the entry function of a module, without calls, and the types and values that the
// interpreter infers for it.
#pragma once

#include <vector>

#include "foreflow/interpret/mixed.h"

namespace foreflow::analyze {

class Subject {
 public:
  // Interprets the entry on its annotated parameters. Throws Error when the entry calls functions (see
  // transform::inline_calls), and the errors of the interpreter. `module` must outlive the subject.
  explicit Subject(const ir::Module& module);

  const ir::Function& function() const { return module_.entry(); }
  const interpret::Mixed& value(ir::ValueId id) const { return interpretation_.entry().values[ir::index(id)]; }

  // True when all results are known values: shape arithmetic, which a real run does on the host.
  bool on_host(const ir::Op& op) const;
  // True when the types of all operands and results are known.
  bool resolved(const ir::Op& op) const;

  // Returns use(call, output types) for one application of an op.
  template <class F>
  auto apply(const ir::Op& op, F use) const {
    std::vector<ir::Type> inputs, outputs;
    std::vector<const ir::Array*> known;
    for (const ir::ValueId id : function().inputs(op)) {
      const bool given = id != ir::ValueId::none;
      inputs.push_back(given ? value(id).type : ir::Type());
      known.push_back(given && value(id).known ? value(id).known.get() : nullptr);
    }
    for (uint32_t i = 0; i < op.result_count; ++i) outputs.push_back(value(function().output(op, i)).type);
    return use(ir::OpCall{*op.def, *op.attributes, inputs, known, op.result_count}, std::span<const ir::Type>(outputs));
  }

 private:
  const ir::Module& module_;
  const interpret::MixedInterpretation interpretation_;
};

}  // namespace foreflow::analyze
