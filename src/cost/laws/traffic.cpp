#include <algorithm>

#include "cost/laws/law.h"

namespace foreflow::cost::definitions::traffic {
namespace {

// Kernels that only move bytes: element-wise, normalisation, copies. Sizes: bytes read and written, kernels.
enum : size_t { kFloor, kMemory };

std::vector<Constant> constants() {
  return {
      {"floor", Unit::seconds, 2e-6, "the shortest kernel on the device: an assumption", Use::given},
      {"memory", Unit::number, 0.8, "share of the memory's bandwidth that is reached"},
  };
}

double seconds(std::span<const double> c, const Sizes& sizes, const Hardware& hardware) {
  return std::max(sizes[1] * c[kFloor], sizes[0] / (hardware.bandwidth * c[kMemory]));
}

}  // namespace

LawDef row() { return {"traffic", "kernels that only move bytes", constants(), seconds}; }

}  // namespace foreflow::cost::definitions::traffic
