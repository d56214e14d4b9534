#include "transform/autodiff/trained.h"

#include <algorithm>

#include "foreflow/base/nth.h"
#include "foreflow/base/suggestion.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/parameters.h"

namespace foreflow::transform {
namespace {

// Per parameter of every function: whether it holds the running statistics of a normalization.
std::vector<std::vector<bool>> statistics_of(const ir::Module& module) {
  std::vector<std::vector<bool>> result;
  for (const ir::Function& function : module.functions) {
    std::vector<bool> statistics(function.parameters.size());
    for (const ir::Op& op : function.ops) {
      const auto inputs = function.inputs(op);
      for (size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i] == ir::ValueId::none || ir::index(inputs[i]) >= statistics.size()) continue;
        const bool holds = op.is_call() ? nth(result, op.callee)[i]
                                        : std::count(op.def->statistics.begin(), op.def->statistics.end(), i) > 0;
        if (holds) statistics[ir::index(inputs[i])] = true;
      }
    }
    result.push_back(std::move(statistics));
  }
  return result;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view name) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (size_t at = star; at <= name.size(); ++at) {
    if (matches(rest, name.substr(at))) return true;
  }
  return false;
}

std::vector<bool> trained_parameters(const ir::Module& module, const std::vector<std::string>& names) {
  const ir::Function& function = module.entry();
  const size_t count           = function.parameters.size();
  std::vector<bool> floating(count), trained(count);
  for (size_t i = 0; i < count; ++i) {
    const ir::TypeRef& type = function.values[i].annotation;
    floating[i]             = type != nullptr && type->is_tensor() && ir::is_float(type->dtype);
  }
  if (names.empty()) {
    const std::vector<bool> statistics = statistics_of(module).back(), masks = mask_weights(module);
    for (size_t i = 0; i < count; ++i) {
      trained[i] = floating[i] && function.parameters[i] == ir::ParameterRole::weight && !statistics[i] && !masks[i];
    }
    return trained;
  }
  for (const std::string& pattern : names) {
    bool found = false;
    std::vector<std::string> known;
    for (size_t i = 0; i < count; ++i) {
      if (!floating[i]) continue;
      known.push_back(function.values[i].name);
      if (!matches(pattern, known.back())) continue;
      trained[i] = found = true;
    }
    if (found) continue;
    throw Error(module.source + ": @" + function.name,
                "has no floating-point parameter \"" + pattern + "\"" + suggestion(pattern, known));
  }
  return trained;
}

double count_parameters(const ir::Module& module) {
  const ir::Function& function       = module.entry();
  const std::vector<bool> statistics = statistics_of(module).back(), masks = mask_weights(module);
  double count = 0;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const ir::TypeRef& type = function.values[i].annotation;
    if (function.parameters[i] != ir::ParameterRole::weight || statistics[i] || masks[i]) continue;
    if (type != nullptr && type->resolved()) count += static_cast<double>(ir::element_count(type->dims));
  }
  return count;
}

ir::Module with_weights(const ir::Module& module, const std::vector<std::string>& names) {
  if (names.empty()) return module;
  ir::Module result               = module;
  const std::vector<bool> trained = trained_parameters(module, names);
  for (size_t i = 0; i < trained.size(); ++i) {
    if (trained[i]) result.functions.back().parameters[i] = ir::ParameterRole::weight;
  }
  return result;
}

}  // namespace foreflow::transform
