#include <cmath>

#include "foreflow/search/objective.h"

namespace foreflow::search::definitions::memory {
namespace {

double value(const Figures& figures, const Terms& /*terms*/) { return figures.memory.value(); }
double energy(const Figures& figures, const Terms& /*terms*/) { return std::log(figures.memory.value()); }
std::string text(double value) { return format(Bytes(value)); }

}  // namespace

ObjectiveDef row() {
  return {.name         = "memory",
          .doc          = "the peak of the device that needs most, as low as possible: what leaves most headroom",
          .is_maximised = false,
          .value        = value,
          .energy       = energy,
          .text         = text,
          .column       = "",
          .key          = "",
          .superlative  = "Least memory",
          .quality      = "memory",
          .as_good      = "needs as much memory",
          .better       = "smaller in memory"};
}

}  // namespace foreflow::search::definitions::memory
