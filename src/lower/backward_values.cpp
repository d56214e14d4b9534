#include "lower/backward_values.h"

#include <algorithm>

namespace foreflow::lower {
namespace {

class BackwardFinder {
 public:
  explicit BackwardFinder(const ir::Module& module) : module_(module), visited_(module.functions.size()) {
    for (const ir::Function& function : module.functions) depends_.emplace_back(function.values.size());
  }

  std::vector<std::vector<bool>> run() {
    visit(module_.functions.size() - 1);
    return std::move(depends_);
  }

 private:
  void visit(size_t f) {
    visited_[f]                  = true;
    const ir::Function& function = module_.functions[f];
    for (const ir::Op& op : function.ops) {
      if (op.is_call()) {
        enter(f, op);
        continue;
      }
      const auto inputs = function.inputs(op);
      const bool any =
          op.def->role == ir::Role::loss_gradient || std::any_of(inputs.begin(), inputs.end(), [&](ir::ValueId id) {
            return id != ir::ValueId::none && depends_[f][ir::index(id)];
          });
      for (uint32_t i = 0; any && i < op.result_count; ++i) depends_[f][op.first_result + i] = true;
    }
  }

  // Once, and again when a call gives it a dependent operand that no call before gave.
  void enter(size_t f, const ir::Op& op) {
    const ir::Function& function = module_.functions[f];
    const auto callee            = static_cast<size_t>(op.callee);
    const auto inputs            = function.inputs(op);
    bool changed                 = !visited_[callee];
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == ir::ValueId::none || !depends_[f][ir::index(inputs[i])] || depends_[callee][i]) continue;
      depends_[callee][i] = true;
      changed             = true;
    }
    if (changed) visit(callee);
    const std::vector<ir::ValueId>& results = module_.functions[callee].results;
    for (uint32_t i = 0; i < op.result_count; ++i) {
      if (depends_[callee][ir::index(results[i])]) depends_[f][op.first_result + i] = true;
    }
  }

  const ir::Module& module_;
  std::vector<bool> visited_;
  std::vector<std::vector<bool>> depends_;
};

}  // namespace

std::vector<std::vector<bool>> backward_values(const ir::Module& module) { return BackwardFinder(module).run(); }

}  // namespace foreflow::lower
