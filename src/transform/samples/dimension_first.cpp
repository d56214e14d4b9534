#include <algorithm>
#include <numeric>

#include "foreflow/base/nth.h"
#include "foreflow/ir/builder.h"
#include "foreflow/ir/text.h"
#include "foreflow/transform/samples.h"
#include "transform/rewrite/copy.h"

namespace foreflow::transform {
namespace {

// The dimensions of a tensor with `dim` first.
std::vector<int64_t> to_front(size_t rank, size_t dim) {
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(dim),
              order.begin() + static_cast<std::ptrdiff_t>(dim) + 1);
  return order;
}

// The order that undoes to_front.
std::vector<int64_t> to_place(size_t rank, size_t dim) {
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin(), order.begin() + 1, order.begin() + static_cast<std::ptrdiff_t>(dim) + 1);
  return order;
}

}  // namespace

ir::Module with_dimension_first(const ir::Module& module, const ir::OpTable& ops,
                                const std::map<size_t, size_t>& dims) {
  const ir::Function& function = module.entry();
  ir::FunctionBuilder builder(function.name, ops);
  ValueMap map(function.values.size());
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const ir::Value& value = function.values[i];
    ir::TypeRef type       = value.annotation;
    if (const auto found = dims.find(i); found != dims.end() && type != nullptr) {
      ir::Type moved   = *type;
      const auto order = to_front(moved.dims.size(), found->second);
      for (size_t d = 0; d < order.size(); ++d) moved.dims[d] = nth(type->dims, order[d]);
      map.set(static_cast<ir::ValueId>(i), builder.parameter(value.name, function.parameters[i], moved));
      continue;
    }
    map.set(static_cast<ir::ValueId>(i), builder.parameter(value.name, function.parameters[i], type));
  }
  for (const auto& [i, dim] : dims) {
    const auto id           = static_cast<ir::ValueId>(i);
    const ir::TypeRef& type = function.values[i].annotation;
    if (type != nullptr) map.set(id, builder.op("Transpose", {map(id)}, {{"perm", to_place(type->dims.size(), dim)}}));
  }
  for (const ir::Op& op : function.ops) copy_op(builder, function, op, map);
  ir::Module result       = module;
  result.functions.back() = builder.finish(copies(function.results, map));
  ir::verify(result);
  return result;
}

}  // namespace foreflow::transform
