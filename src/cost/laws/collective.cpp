#include <algorithm>
#include <cmath>

#include "cost/laws/law.h"

namespace foreflow::cost::definitions::collective {
namespace {

// A collective among the devices of one server. Sizes: ranks, bytes (as collective::Kind defines them), latencies of
// its ring (2 (n - 1) for an all-reduce, else n - 1), bytes that leave a rank, 1 if the switch may add (NVLS).
//
// NCCL has three protocols, and takes the fastest (src/graph/tuning.cc): LL sends four bytes with a flag of four, LL128
// 120 of 128 bytes, Simple whole buffers between fences. Each is a fixed time, a time for each step, and a bandwidth.
// The number of channels grows with the size as well, which rounds the corners between the three lines: a smooth
// minimum.
enum : size_t {
  kLl,
  kLlStep,
  kLlRate,
  k128,
  k128Step,
  k128Rate,
  kSimple,
  kSimpleStep,
  kSimpleRate,
  kGrowth,
  kSharp,
  kNvls,
  kNvlsRate
};

std::vector<Constant> constants() {
  return {
      {"ll", Unit::seconds, 7e-6, "fixed time of protocol LL"},
      {"ll_step", Unit::seconds, 1e-6, "of a step of its ring"},
      {"ll_bandwidth", Unit::bandwidth, 20e9, "of a rank under it"},
      {"ll128", Unit::seconds, 12e-6, "fixed time of protocol LL128"},
      {"ll128_step", Unit::seconds, 2e-6, "of a step of its ring"},
      {"ll128_bandwidth", Unit::bandwidth, 80e9, "of a rank under it, with eight ranks"},
      {"simple", Unit::seconds, 20e-6, "fixed time of protocol Simple"},
      {"simple_step", Unit::seconds, 3e-6, "of a step of its ring"},
      {"simple_bandwidth", Unit::bandwidth, 200e9, "of a rank under it, with eight ranks"},
      {"ranks", Unit::number, 0.05, "power of ranks / 8 with which the bandwidth grows: more ranks, more channels"},
      {"hand_over", Unit::number, 6, "how sharply one protocol takes over from the next; above 20 at once"},
      {"nvls", Unit::seconds, 40e-6, "fixed time of a sum within the switch"},
      {"nvls_bandwidth", Unit::bandwidth, 300e9, "of a rank that the switch adds for"},
  };
}

double seconds(std::span<const double> c, const Sizes& s, const Hardware&) {
  const double growth  = std::pow(s[0] / 8, c[kGrowth]);
  const double times[] = {c[kLl] + s[2] * c[kLlStep] + s[3] / c[kLlRate],
                          c[k128] + s[2] * c[k128Step] + s[3] / (c[k128Rate] * growth),
                          c[kSimple] + s[2] * c[kSimpleStep] + s[3] / (c[kSimpleRate] * growth),
                          c[kNvls] + s[1] * (1 + 1 / s[0]) / c[kNvlsRate]};
  const size_t known   = s[4] > 0 && s[0] > 2 ? 4 : 3;
  double shortest      = times[0];
  for (size_t i = 1; i < known; ++i) shortest = std::min(shortest, times[i]);
  double sum = 0;
  for (size_t i = 0; i < known; ++i) sum += std::pow(shortest / times[i], c[kSharp]);
  return shortest * std::pow(sum, -1 / c[kSharp]);
}

}  // namespace

LawDef row() { return {"collective", "a collective within a server, by NCCL's protocols", constants(), seconds}; }

}  // namespace foreflow::cost::definitions::collective
