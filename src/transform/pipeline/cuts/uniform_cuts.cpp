#include <cmath>
#include <numeric>
#include <tuple>

#include "transform/pipeline/cuts/cuts.h"

namespace foreflow::transform {
namespace {

// How far from the ideal cut a better place may lie, and when two places count as equally far: shares of one stage.
constexpr double kWindow = 0.35;
constexpr double kSame   = 0.01;

// Smaller is better; of equals the later place. Near the ideal cut the fewest tensors to send decide, then nearness;
// elsewhere nearness alone. Not their bytes: those are fewest inside a layer whose product is split, a bad place to
// cut.
std::tuple<bool, int64_t, double> rank(const CutPlace& place, double ideal, double stage) {
  const double far = std::fabs(place.flops - ideal);
  const bool away  = far > kWindow * stage;
  return {away, away ? 0 : place.tensors, std::floor(far / (kSame * stage))};
}

}  // namespace

Cuts uniform_cuts(std::span<const CutPlace> places, std::span<const double> shares) {
  const double total = places.empty() ? 0 : places.back().flops;
  const double stage = total / static_cast<double>(shares.size());
  const double whole = std::accumulate(shares.begin(), shares.end(), 0.0);
  double ideal       = 0;
  Cuts cuts;
  for (size_t s = 0; s + 1 < shares.size(); ++s) {
    ideal += total * shares[s] / whole;
    const CutPlace* best = nullptr;
    for (const CutPlace& place : places) {
      const bool usable = place.op != places.back().op && (cuts.empty() || place.op > cuts.back());
      if (usable && (best == nullptr || !(rank(*best, ideal, stage) < rank(place, ideal, stage)))) best = &place;
    }
    if (best == nullptr) break;
    cuts.push_back(best->op);
  }
  return cuts;
}

}  // namespace foreflow::transform
