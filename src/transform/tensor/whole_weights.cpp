#include "transform/tensor/whole_weights.h"

#include <algorithm>

#include "foreflow/base/nth.h"
#include "foreflow/base/refusal.h"
#include "foreflow/base/text.h"
#include "transform/tensor/linears.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

std::string shown_name(const ir::Function& function, ValueId id) {
  const std::string& name = function.value(id).name;
  return "%" + (name.empty() ? "v" + std::to_string(ir::index(id)) : name);
}

// Returns true if `ways` divides the output dimension of some product.
bool divides_a_product(const ir::Function& function, const std::vector<Linear>& linears, int64_t ways) {
  return std::any_of(linears.begin(), linears.end(), [&](const Linear& linear) {
    const ir::TypeRef& weight = function.values[linear.weight].annotation;
    return weight != nullptr && nth(weight->dims, linear.out_dim) % ways == 0;
  });
}

// With the degrees up to 16 that divide the output dimension of some product: "; 2, 4 or 8 divides one".
std::string degrees_instead(const ir::Function& function, const std::vector<Linear>& linears) {
  std::vector<std::string> all;
  for (int64_t ways = 2; ways <= 16; ++ways) {
    if (divides_a_product(function, linears, ways)) all.push_back(std::to_string(ways));
  }
  const std::string none = "no product has an output dimension that it divides";
  return all.empty() ? none : none + "; " + list_or(all) + " divides one";
}

// The first op of the forward pass that takes a weight, or a copy of one, and the weight; the first with a weight of
// several dimensions, if there is one.
std::optional<Obstacle> first_reader(const ir::Function& function, const interpret::Values<interpret::Mixed>& values,
                                     const LinearGraph& graph) {
  std::optional<Obstacle> of_vector;
  for (size_t o = 0; o < graph.forward_ops(); ++o) {
    const ir::Op& op = function.ops[o];
    if (op.def->copy != ir::Copy::none) continue;
    for (const ValueId id : function.inputs(op)) {
      const auto stored = id == ValueId::none ? std::nullopt : graph.stored(id);
      if (!stored || function.parameters[stored->parameter] != ir::ParameterRole::weight) continue;
      const Obstacle reader{o, static_cast<ValueId>(stored->parameter)};
      if (values[stored->parameter].type.dims.size() > 1) return reader;
      if (!of_vector) of_vector = reader;
    }
  }
  return of_vector;
}

}  // namespace

void refuse_whole_weights(const ir::Module& module, const ir::Function& function,
                          const interpret::Values<interpret::Mixed>& values, int ways,
                          const std::map<size_t, Obstacle>& obstacles) {
  const std::string where = module.source + ": @" + function.name, degree = std::to_string(ways),
                    splits_none = "tensor parallelism of " + degree + " splits no weight";
  const LinearGraph graph(function, values);
  const std::vector<Linear>& linears = graph.linears();
  if (!linears.empty() && !divides_a_product(function, linears, ways))
    throw RefusalError(Cause::program, where, splits_none + ": " + degrees_instead(function, linears));
  if (!obstacles.empty()) {
    const Obstacle& first    = obstacles.begin()->second;
    const std::string others = obstacles.size() > 1 ? ", and later ops all of theirs" : "";
    throw RefusalError(Cause::program, ir::describe(module, function, function.ops[first.op]),
                       "needs all of " + shown_name(function, first.value) + others + ", so " + splits_none);
  }
  if (const auto reader = first_reader(function, values, graph)) {
    throw RefusalError(Cause::program, ir::describe(module, function, function.ops[reader->op]),
                       "cannot work on one of " + degree + " parts of its weight " +
                           shown_name(function, reader->value) + ", " +
                           ir::to_string(values[ir::index(reader->value)].type.dims) +
                           ", nor can another op on those of its own, so " + splits_none);
  }
  throw RefusalError(Cause::program, where, splits_none + ": no op takes a weight");
}

}  // namespace foreflow::transform
