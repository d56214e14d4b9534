#include "transform/pipeline/overlapped/summed_product.h"

#include <algorithm>

namespace foreflow::transform {
namespace {

bool is_sum(const ir::Op& op) { return !op.is_call() && ir::sums_over_devices(*op.def); }

bool reads_results_of(const ir::Function& function, const ir::Op& reader, const ir::Op& op) {
  const auto inputs = function.inputs(reader);
  return std::any_of(inputs.begin(), inputs.end(), [&](ir::ValueId id) {
    return id != ir::ValueId::none && ir::index(id) >= op.first_result &&
           ir::index(id) < op.first_result + op.result_count;
  });
}

}  // namespace

std::optional<SummedProduct> summed_product(const ir::Function& function, const std::vector<int32_t>& makers,
                                            size_t op) {
  const ir::Op& sum = function.ops[op];
  const auto inputs = function.inputs(sum);
  if (!is_sum(sum) || inputs.empty() || op + 1 >= function.ops.size()) return std::nullopt;
  if (!reads_results_of(function, function.ops[op + 1], sum)) return std::nullopt;
  const int32_t maker = makers[ir::index(inputs[0])];
  if (maker < 0) return std::nullopt;
  const auto made       = static_cast<size_t>(maker);
  const ir::Op& product = function.ops[made];
  if (product.is_call() || product.def->role != ir::Role::compute) return std::nullopt;
  return SummedProduct{made, product.result_count == 1};
}

}  // namespace foreflow::transform
