#include "transform/context/causal_mask.h"

namespace foreflow::transform {
namespace {

// An added number that is at most this masks a score out: the exponential of the score is then 0 in every float type.
constexpr double kFar = -1000;

bool has_causal_elements(const ir::Array& elements, int64_t size) {
  for (int64_t i = 0; i < elements.size(); ++i) {
    const bool behind = i % size > i / size % size;
    if (behind ? elements.at(i) > kFar : elements.at(i) != 0) return false;
  }
  return true;
}

// Returns true if keys from one behind the query on are far, and all others near.
bool is_causal(const Bordered& choice) {
  const size_t rank        = choice.where.factors.size();
  Affine behind            = affine_number(rank, -1);
  behind.factors[rank - 2] = -1;
  behind.factors[rank - 1] = 1;
  return choice.where == behind && choice.on.at(0) <= kFar && choice.off.at(0) == 0;
}

}  // namespace

bool is_causal(const KnownFunction& of, const ElementPatterns& patterns, ir::ValueId mask) {
  const ir::Dims& dims = of.dims(mask);
  if (dims.size() < 2 || dims[dims.size() - 2] != dims.back()) return false;
  if (const ir::Array* elements = of.elements(mask)) return has_causal_elements(*elements, dims.back());
  const Pattern* pattern = patterns.of(mask);
  const auto* choice     = pattern == nullptr ? nullptr : std::get_if<Bordered>(pattern);
  return choice != nullptr && is_causal(*choice);
}

}  // namespace foreflow::transform
