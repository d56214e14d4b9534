#include <algorithm>

#include "cost/laws/law.h"

namespace foreflow::cost::definitions::traffic {
namespace {

// Kernels that only move bytes: element-wise, normalisation, copies. Sizes: bytes read and written, kernels. As many
// bytes as the shared cache holds are there when a kernel reads what the one before has written.
enum : size_t { kFloor, kMemory, kCached };

std::vector<Constant> constants() {
  return {
      {"floor", Unit::seconds, 2e-6, "the shortest kernel on the device: an assumption", Use::given},
      {"memory", Unit::number, 0.8, "share of the memory's bandwidth that is reached", Use::fitted, 1},
      {"cached", Unit::number, 1, "rate of the bytes that the shared cache holds, in bandwidths of the memory"},
  };
}

double seconds(std::span<const double> c, const Sizes& sizes, const Hardware& hardware) {
  const double cached = std::min(sizes[0], hardware.cache), beyond = sizes[0] - cached;
  return std::max(sizes[1] * c[kFloor], (cached / c[kCached] + beyond / c[kMemory]) / hardware.bandwidth);
}

}  // namespace

LawDef row() { return {"traffic", "kernels that only move bytes", constants(), seconds}; }

}  // namespace foreflow::cost::definitions::traffic
