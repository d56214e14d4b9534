#include "transform/tensor/shown_heads.h"

#include <string>

#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "foreflow/ir/text.h"
#include "transform/tensor/numbered_parts.h"

namespace foreflow::transform {
namespace {

// ", 1, 2 or 4"; empty where the number is not known.
std::string divisors_of(int64_t heads) {
  std::vector<std::string> all;
  for (int64_t i = 1; i <= heads; ++i) {
    if (heads % i == 0) all.push_back(std::to_string(i));
  }
  return all.empty() ? "" : ", " + list_or(all);
}

RefusalError refused_view(const FunctionToShard& of, const Arrival& arrival) {
  const std::vector<ir::Type> outputs = arrival.call.def.infer(arrival.call);
  return RefusalError(Cause::program, ir::describe(of.module, of.function, arrival.op),
                      "tensor parallelism of " + std::to_string(of.ways) + " does not divide the dimensions of " +
                          ir::to_string(outputs[0].dims) + "; use a divisor of the number of heads" +
                          divisors_of(heads_of(arrival)));
}

}  // namespace

int64_t heads_of(const Arrival& arrival) {
  if (arrival.layouts.empty() || !arrival.layouts[0].is_split()) return 0;
  const auto dim      = static_cast<size_t>(arrival.layouts[0].dim);
  const ir::Dims from = arrival.call.inputs[0].dims, to = arrival.call.def.infer(arrival.call)[0].dims;
  const bool inserts = to.size() == from.size() + 1 && dim + 1 < to.size() && to[dim] * to[dim + 1] == from[dim];
  return inserts ? to[dim] : 0;
}

int64_t parts_shown(const FunctionToShard& of, const Arrival& arrival) {
  if (!arrival.layouts[0].is_split()) return 0;
  const auto dim      = static_cast<size_t>(arrival.layouts[0].dim);
  const ir::Dims from = arrival.call.inputs[0].dims, to = arrival.call.def.infer(arrival.call)[0].dims;
  if (to.size() <= from.size() || dim >= from.size()) return 0;
  int64_t shown = 1;
  for (size_t i = dim; i <= dim + to.size() - from.size(); ++i) shown *= to[i];
  const bool apart =
      shown == from[dim] && is_taken_apart(of.function, of.values, of.function.output(arrival.op, 0), to[dim]);
  return apart ? to[dim] : 0;
}

void HeadCheck::refuse(const FunctionToShard& of, const Arrival& arrival) {
  const int64_t heads = heads_of(arrival);
  const bool fewer    = heads > 0 && heads < of.ways && of.ways % heads == 0 && !nth(of.fixed, arrival.origin);
  if (!fewer) throw refused_view(of, arrival);
  if (has_heads_ || heads <= refused_heads_) return;
  refused_heads_ = heads;
  refusal_       = refused_view(of, arrival);
}

void HeadCheck::finish() const {
  if (refusal_ && !has_heads_) throw RefusalError(*refusal_);
}

}  // namespace foreflow::transform
