#include "transform/context/causal_mask.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

// An added number that is at most this masks a score out: the exponential of the score is then 0 in every float type.
constexpr double kFar = -1000;

// Returns true if ops make it causal: a Trilu that keeps what is above the diagonal of one large negative number.
bool is_made_causal(const KnownFunction& of, ValueId mask) {
  const ir::Op* triangle = of.made_by(mask);
  if (triangle == nullptr || triangle->is_call() || triangle->def->name != "Trilu") return false;
  const auto inputs   = of.function.inputs(*triangle);
  const auto diagonal = inputs.size() > 1 && inputs[1] != ValueId::none ? of.number(inputs[1]) : std::nullopt;
  const double k      = diagonal ? *diagonal : static_cast<double>(triangle->attributes->int_or("k", 0));
  const ir::Op* far   = of.made_by(inputs[0]);
  if (far == nullptr || far->is_call() || far->def->sizes != ir::Sizes::filled) return false;
  if (triangle->attributes->int_or("upper", 1) == 0 || k != 1) return false;
  const ir::Array* value = far->attributes->find_array("value");
  return value != nullptr && value->size() == 1 && value->at(0) <= kFar;
}

}  // namespace

bool is_causal(const KnownFunction& of, ValueId mask) {
  const ir::Dims& dims = of.dims(mask);
  if (dims.size() != 2 || dims[0] != dims[1]) return false;
  const ir::Array* elements = of.elements(mask);
  if (elements == nullptr) return is_made_causal(of, mask);
  for (int64_t i = 0; i < elements->size(); ++i) {
    const bool behind = i % dims[0] > i / dims[0];
    if (behind ? elements->at(i) > kFar : elements->at(i) != 0) return false;
  }
  return true;
}

}  // namespace foreflow::transform
