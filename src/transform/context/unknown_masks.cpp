// Finds what attention of one op adds to its scores without knowing that it hides keys.
#include <algorithm>

#include "foreflow/ir/text.h"
#include "foreflow/transform/context_attention.h"
#include "transform/context/attention_layouts.h"
#include "transform/context/element_patterns.h"

namespace foreflow::transform {
namespace {

bool has_bias(const ir::Function& function, const ir::Op& op) {
  return !op.is_call() && op.def->kernels == ir::Kernels::attention && op.operand_count > kBias &&
         function.inputs(op)[kBias] != ir::ValueId::none;
}

// Returns true if the dimensions are those of a matrix for each sample, of as many rows as columns, for all heads
// alike.
bool is_square(const ir::Dims& dims) {
  const size_t rank = dims.size();
  bool for_all      = rank >= 2 && dims[rank - 1] > 1 && dims[rank - 2] == dims[rank - 1];
  for (size_t d = 1; d + 2 < rank; ++d) for_all = for_all && dims[d] == 1;
  return for_all;
}

// Returns true if a value is made by stretching one row, so that all queries see the same keys.
bool repeats_rows(const KnownFunction& of, ir::ValueId id) {
  const ir::Op* maker = of.made_by(id);
  if (maker == nullptr || maker->is_call() || maker->def->sizes != ir::Sizes::expanded) return false;
  const ir::Dims& from = of.dims(of.function.inputs(*maker)[0]);
  return from.size() < 2 || from[from.size() - 2] == 1;
}

}  // namespace

std::string remark_on_masks(const ir::Module& fused) {
  const ir::Function& function = fused.entry();
  const auto any =
      std::any_of(function.ops.begin(), function.ops.end(), [&](const ir::Op& op) { return has_bias(function, op); });
  if (!any) return "";
  const KnownFunction of(fused);
  const ElementPatterns patterns(of);
  for (const ir::Op& op : function.ops) {
    if (!has_bias(function, op)) continue;
    const ir::ValueId bias = function.inputs(op)[kBias];
    const bool is_known    = of.elements(bias) != nullptr || patterns.of(bias) != nullptr;
    if (is_known || !is_square(of.dims(bias)) || repeats_rows(of, bias)) continue;
    return "attention computes all scores to which it adds %" + function.value(bias).name + " " +
           to_string(of.dims(bias)) +
           ", whose numbers are not known; a mask that only hides later keys halves them where it is a Trilu of one "
           "number, or compares positions";
  }
  return "";
}

}  // namespace foreflow::transform
