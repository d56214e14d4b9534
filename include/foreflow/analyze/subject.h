// What is analysed: the entry of a module without calls, with what the interpreter knows about its values.
#pragma once

#include <vector>

#include "foreflow/interpret/mixed.h"

namespace foreflow::analyze {

class Subject {
 public:
  // Interprets the entry on its annotated parameters. Throws Error for programs whose entry calls functions (see
  // transform::inline_calls), and those of the interpreter. `module` outlives the subject.
  explicit Subject(const ir::Module& module);

  const ir::Function& function() const { return module_.entry(); }
  const interpret::Mixed& value(ir::ValueId id) const { return interpretation_.entry().values[ir::index(id)]; }

  // All results are known numbers: shape arithmetic, which a real run does on the host.
  bool on_host(const ir::Op& op) const;
  // Types of all operands and results are known.
  bool resolved(const ir::Op& op) const;

  // What `use(call, output types)` gives for one application of an op.
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
