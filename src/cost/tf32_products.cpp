#include "cost/tf32_products.h"

namespace foreflow::cost {
namespace {

// The fraction of the peak with an operand that is not K-major. Fitted to the backward passes of OPT-30B on GH200
// (Sailor, 2025; `foreflow reproduce sailor_layers`), whose forward passes reach the full rate.
constexpr double kTransposed = 0.63;

}  // namespace

double tf32_share(Units units, const ir::OpDef& op) {
  return units == Units::hopper && op.gradient_of == ir::GradientOf::product ? kTransposed : 1;
}

}  // namespace foreflow::cost
