#include <algorithm>
#include <cmath>
#include <limits>

#include "cost/laws/law.h"

namespace foreflow::cost::definitions::attention {
namespace {

// Flash attention, causal (Dao 2023). Sizes: samples, sequence, heads, heads of keys and values, elements of a head,
// bytes of an element, 1 for the backward pass (0 for the forward pass), 1 where keys and values also go to a paged
// cache (0 otherwise).
//
// One processor works on a tile of rows of one head, block by block of keys up to the diagonal. The tiles at the end of
// the sequence are the longest:
//
//   tile 0  #
//   tile 1  # #            time = launch + joined(blocks of all tiles / processors + part of the longest, traffic)
//   tile 2  # # #
enum : size_t {
  kLaunch,
  kEfficiency,
  kTile,
  kBlock,
  kTail,
  kMemory,
  kProcessor,
  kJoin,
  kQueries,
  kCache,
  kHeads,
  kThrottle,
  kWarm
};

std::vector<Constant> constants() {
  return {
      {"launch", Unit::seconds, 8e-6, "the shortest call, with the kernels before the attention itself"},
      {"efficiency", Unit::number, 0.6, "share of the peak within a block of keys"},
      {"tile", Unit::seconds, 0.5e-6, "what a tile of rows costs besides its blocks"},
      {"block", Unit::seconds, 1e-6, "the shortest time of a block of 128 keys"},
      {"tail", Unit::number, 0.6, "share of the longest tile in which the other processors have no work"},
      {"memory", Unit::number, 0.8,
       "rate of the traffic, in bandwidths of the memory: above 1 where the cache serves a part"},
      {"processor_bandwidth", Unit::bandwidth, 25e9, "the most that one processor draws from the memory"},
      {"join", Unit::number, 1.5, "how well arithmetic and memory traffic overlap"},
      {"queries", Unit::seconds, 0.1e-9, "for a head of a token: queries and results are put into place"},
      {"cache", Unit::seconds, 3e-9, "for a token whose keys and values go to a paged cache; only serving has one",
       Use::serving},
      {"cache_heads", Unit::number, 0.6, "power of the number of key heads with which that grows"},
      {"throttle", Unit::number, 0.05, "how much slower a long call is, because the clock falls at the power limit",
       Use::clock},
      {"warm", Unit::seconds, 1e-3, "after which half of that is reached"},
  };
}

constexpr double kKeys = 128;  // of a block

struct Pass {
  double arithmetic;  // of the forward pass's
  double q, k;        // tensors of the size of the queries, and of the keys, that are read or written
};
constexpr Pass kForward{1, 2, 2};                       // q, o; k, v
constexpr Pass kGradients{kBackwardOfAttention, 4, 4};  // q, o and their gradients; k, v and theirs

double with_tile(double rows, std::span<const double> c, const Sizes& s, const Hardware& hardware) {
  const Pass& pass      = s[6] > 0 ? kGradients : kForward;
  const double sequence = s[1], heads = s[0] * s[2], tiles = std::ceil(sequence / rows);
  const double blocks = heads * (tiles == 1 ? 1 : rows < kKeys ? tiles * (tiles + 2) / 4 : tiles * (tiles + 1) / 2);
  const double block =
      pass.arithmetic *
      std::max(4 * rows * kKeys * s[4] / (hardware.peak / hardware.processors * c[kEfficiency]), c[kBlock]);
  const double active  = std::min(heads * tiles, hardware.processors);
  const double longest = std::ceil(sequence / kKeys) * block + c[kTile];
  const double even    = (blocks * block + heads * tiles * c[kTile]) / active;
  const double tensor  = std::max(even + (heads * tiles > hardware.processors ? c[kTail] * longest : 0), longest);
  const double traffic = s[5] * s[0] * sequence * s[4] * (pass.q * s[2] + pass.k * s[3]);
  const double memory  = traffic / std::min(hardware.bandwidth * c[kMemory], active * c[kProcessor]);
  return joined(tensor, memory, c[kJoin]);
}

double seconds(std::span<const double> c, const Sizes& s, const Hardware& hardware) {
  const double tokens = s[0] * s[1];
  const double cool = c[kLaunch] + tokens * s[2] * c[kQueries] + s[7] * tokens * c[kCache] * std::pow(s[3], c[kHeads]) +
                      std::min(with_tile(128, c, s, hardware), with_tile(64, c, s, hardware));
  return cool * (1 + c[kThrottle] * cool / (cool + c[kWarm]));
}

}  // namespace

LawDef row() { return {"attention", "flash attention, causal", constants(), seconds}; }

}  // namespace foreflow::cost::definitions::attention
