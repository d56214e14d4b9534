#include "lower/fp8_copies.h"

#include <algorithm>

#include "foreflow/ir/fp8.h"

namespace foreflow::lower {
namespace {

constexpr unsigned kAsItIs = 1, kTransposed = 2;

// Per element of a tuple, or one for a tensor: the forms in which products read it. Missing ones are 0.
using Forms = std::vector<unsigned>;

// Adds the forms; returns whether there were new ones.
bool add(Forms& to, const Forms& forms) {
  if (to.size() < forms.size()) to.resize(forms.size());
  bool fresh = false;
  for (size_t i = 0; i < forms.size(); ++i) {
    fresh = fresh || (forms[i] & ~to[i]) != 0;
    to[i] |= forms[i];
  }
  return fresh;
}

// The form in which a product reads its weights.
unsigned form_of(const ir::Op& product) {
  const bool transposed =
      product.def->gradient_of == ir::GradientOf::product || product.attributes->int_or("transB", 0) != 0;
  return transposed ? kTransposed : kAsItIs;
}

bool is_product(const ir::Op& op) {
  return !op.is_call() && op.operand_count > 1 && op.attributes->find(ir::kFp8) != nullptr;
}

// Returns true if the result is the operand, all of it or a part, here or on another device.
bool hands_weight_on(const ir::Op& op) {
  return op.def->role == ir::Role::view || op.def->communication == ir::Communication::send ||
         op.def->communication == ir::Communication::all_gather;
}

// Follows weights from the products that read them back to the parameters, over the gathers of ZeRO 3, which may begin
// in one function and end in another.
class Finder {
 public:
  explicit Finder(const ir::Module& module) : module_(module) {
    parameters_.resize(module.functions.size());
    results_.resize(module.functions.size());
    for (size_t f = 0; f < module.functions.size(); ++f) {
      parameters_[f].resize(module.functions[f].parameters.size());
      results_[f].resize(module.functions[f].results.size());
    }
  }

  std::vector<Forms> run() {
    for (bool fresh = true; fresh;) {
      fresh = false;
      for (size_t f = 0; f < module_.functions.size(); ++f) fresh = visit(f) || fresh;
    }
    return parameters_.back();
  }

 private:
  bool visit(size_t f) {
    const ir::Function& function = module_.functions[f];
    std::vector<Forms> forms(function.values.size());
    const auto mark = [&](ir::ValueId id, const Forms& more) {
      if (id != ir::ValueId::none) add(forms[ir::index(id)], more);
    };
    for (size_t i = 0; i < function.results.size(); ++i) mark(function.results[i], results_[f][i]);
    bool fresh = false;
    for (size_t o = function.ops.size(); o-- > 0;) {
      const ir::Op& op  = function.ops[o];
      const auto inputs = function.inputs(op);
      if (op.is_call()) {
        const auto callee = static_cast<size_t>(op.callee);
        for (size_t i = 0; i < op.result_count; ++i)
          fresh = add(results_[callee][i], forms[op.first_result + i]) || fresh;
        for (size_t i = 0; i < inputs.size(); ++i) mark(inputs[i], parameters_[callee][i]);
      } else if (is_product(op)) {
        mark(inputs[1], {form_of(op)});
      } else if (op.def->tuple == ir::Tuple::unpacks) {
        Forms of_tuple;
        for (size_t i = 0; i < op.result_count; ++i) {
          const Forms& element = forms[op.first_result + i];
          of_tuple.push_back(element.empty() ? 0 : element[0]);
        }
        mark(inputs[0], of_tuple);
      } else if (op.def->tuple == ir::Tuple::packs) {
        const Forms& tuple = forms[op.first_result];
        for (size_t i = 0; i < inputs.size() && i < tuple.size(); ++i) mark(inputs[i], {tuple[i]});
      } else if (hands_weight_on(op) && !inputs.empty()) {
        mark(inputs[0], forms[op.first_result]);
      }
    }
    for (size_t i = 0; i < parameters_[f].size(); ++i) fresh = add(parameters_[f][i], forms[i]) || fresh;
    return fresh;
  }

  const ir::Module& module_;
  std::vector<std::vector<Forms>> parameters_, results_;  // per function
};

}  // namespace

std::vector<int> fp8_copies(const ir::Module& module) {
  const auto multiplies = [](const ir::Function& function) {
    return std::any_of(function.ops.begin(), function.ops.end(), is_product);
  };
  std::vector<int> copies(module.entry().parameters.size());
  if (std::none_of(module.functions.begin(), module.functions.end(), multiplies)) return copies;
  const std::vector<Forms> forms = Finder(module).run();
  for (size_t i = 0; i < forms.size(); ++i) {
    const bool is_weight = module.entry().parameters[i] == ir::ParameterRole::weight;
    const unsigned form  = is_weight && !forms[i].empty() ? forms[i][0] : 0;
    copies[i]            = ((form & kAsItIs) != 0 ? 1 : 0) + ((form & kTransposed) != 0 ? 1 : 0);
  }
  return copies;
}

}  // namespace foreflow::lower
