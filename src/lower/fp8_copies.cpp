#include "lower/fp8_copies.h"

#include "foreflow/ir/fp8.h"

namespace foreflow::lower {
namespace {

constexpr unsigned kAsItIs = 1, kTransposed = 2;

// The form in which a product reads its weights.
unsigned form_of(const ir::Op& product) {
  const bool transposed = product.def->name == "MatMulGrad" || product.attributes->int_or("transB", 0) != 0;
  return transposed ? kTransposed : kAsItIs;
}

// The forms in which a function reads its parameters, in products of its own and in its calls.
std::vector<unsigned> forms_of(const ir::Function& function, const std::vector<std::vector<unsigned>>& callees) {
  std::vector<unsigned> forms(function.parameters.size());
  const auto add = [&](ir::ValueId id, unsigned form) {
    if (id != ir::ValueId::none && ir::index(id) < forms.size()) forms[ir::index(id)] |= form;
  };
  for (const ir::Op& op : function.ops) {
    const auto inputs = function.inputs(op);
    if (op.is_call()) {
      const std::vector<unsigned>& of_callee = callees[static_cast<size_t>(op.callee)];
      for (size_t i = 0; i < inputs.size(); ++i) add(inputs[i], of_callee[i]);
    } else if (inputs.size() > 1 && op.attributes->find(ir::kFp8) != nullptr) {
      add(inputs[1], form_of(op));
    }
  }
  return forms;
}

}  // namespace

std::vector<int> fp8_copies(const ir::Module& module) {
  std::vector<std::vector<unsigned>> forms;
  for (const ir::Function& function : module.functions) forms.push_back(forms_of(function, forms));
  std::vector<int> copies;
  for (size_t i = 0; i < forms.back().size(); ++i) {
    const bool is_weight = module.entry().parameters[i] == ir::ParameterRole::weight;
    const unsigned form  = is_weight ? forms.back()[i] : 0;
    copies.push_back(((form & kAsItIs) != 0 ? 1 : 0) + ((form & kTransposed) != 0 ? 1 : 0));
  }
  return copies;
}

}  // namespace foreflow::lower
