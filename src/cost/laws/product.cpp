#include <algorithm>
#include <cmath>
#include <limits>

#include "cost/laws/law.h"
#include "cost/laws/tiles.h"

namespace foreflow::cost::definitions::product {
namespace {

// C[m,n] = A[m,k] B[k,n]. Sizes: m, n, k, bytes of an element of A and B, bytes of one of C, 1 if a row of A, B or C is
// no multiple of 16 bytes (0 otherwise), how many such products one kernel computes (0: one), who chooses its tile
// (Chooser), 1 if k runs along the rows of A as it lies in memory (0: m does, or it is not known), 1 if k runs along
// the rows of B.
//
// C is cut into tiles, each made by one processor; where there are fewer tiles than processors, k is cut as well. Tiles
// run in waves, and the last wave is as long as the others:
//
//   processors  | tile 0 | tile 3 |        time = launch + waves * (fixed + result + k * (arithmetic and operands))
//               | tile 1 | tile 4 |
//               | tile 2 |  idle  |        joined with the time of the traffic with the memory of the device
//
// The law takes the fastest of all shapes of tiles and cuts of k, as libraries choose by measurements, unless the tile
// is known from the source of the program that was measured. A tile takes the time of whole instructions of the matrix
// units. Operands of bytes were rounded by the measured program, by kernels of their own. Measurements repeat a
// product, often with the same A and several B in turns; the part of these operands that stays in the shared cache is
// read from there. Prices of training leave that out, because other layers run in between.
//
// A tile takes a few neighbours along k at a time, of each of its rows of A and columns of B. Where k runs along the
// rows of an operand, these pieces are a row apart, and the memory delivers less than where a piece holds neighbouring
// rows, unless rows are a multiple of 4 KiB. What the shared cache holds does not come from the memory:
//
//   m runs along the rows   |aaaaaaaa........|  one read     k runs along the rows   |aa.....|aa.....|aa.....|  many
enum : size_t {
  kLaunch,
  kEfficiency,
  kOperands,
  kTile,
  kResult,
  kSmall,
  kMemory,
  kProcessor,
  kWritten,
  kSplit,
  kSums,
  kJoin,
  kThrottle,
  kWarm,
  kVector,
  kQuantise,
  kUnaligned,
  kCache,
  kReused,
  kSets,
  kRounded,
  kSpilled,
  kStrided,
  kStridedStep
};

std::vector<Constant> constants() {
  return {
      {"launch", Unit::seconds, 3e-6, "the shortest kernel, issued from a captured graph"},
      {"efficiency", Unit::number, 0.9,
       "share of the peak that a large tile reaches; above 1 where the clock is above that of the data sheet",
       Use::clock},
      {"operand_bandwidth", Unit::bandwidth, 60e9, "at which one processor takes operands from the shared cache"},
      {"tile", Unit::seconds, 0.4e-6, "what a tile costs besides its arithmetic: filling and draining its pipeline"},
      {"result", Unit::seconds, 30e-9, "for a KiB of a tile that is written at its end"},
      {"small_tile", Unit::number, 0.5, "how much more a flop of a tile of 32 x 32 takes than one of a large tile"},
      {"memory", Unit::number, 0.8, "share of the memory's bandwidth that is reached", Use::fitted, 1},
      {"processor_bandwidth", Unit::bandwidth, 15e9, "the most that one processor draws from the memory"},
      {"written", Unit::number, 0.9, "what a byte that is written costs, in bytes that are read", Use::fitted, 2},
      {"split", Unit::seconds, 2e-6, "what it costs to cut k and to add the partial sums up"},
      {"sums", Unit::number, 1, "what a byte of a partial sum costs besides, in bytes that are read from the memory"},
      {"join", Unit::number, 6, "how well arithmetic and memory traffic overlap: 1 not at all, above 8 fully"},
      {"throttle", Unit::number, 0.05, "how much slower a long product is, because the clock falls at the power limit",
       Use::clock},
      {"warm", Unit::seconds, 1e-3, "after which half of that is reached"},
      {"vector_step", Unit::seconds, 1e-9, "of one step along k where a matrix is multiplied by a vector"},
      {"quantise", Unit::seconds, 1e-11,
       "for an element of A where the operands are bytes: it is rounded first; training has a kernel for that",
       Use::serving},
      {"unaligned", Unit::number, 3, "times as long where a row is no multiple of 16 bytes"},
      {"cached", Unit::number, 0.9,
       "what a byte costs where all bytes of a call fit into the shared cache, in bytes that are read from the memory: "
       "above 1 where so few do not reach its bandwidth",
       Use::fitted, 2},
      {"reused", Unit::number, 0.02,
       "share of an operand's time that a call saves where the calls before it left the operand in the shared cache",
       Use::serving, 1, 0.3},
      {"sets", Unit::number, 5,
       "how many second operands the measured calls took in turns: all must fit into that cache", Use::serving},
      {"rounded", Unit::number, 0.3, "share of `quantise` that an element takes where the shared cache holds it",
       Use::serving, 1},
      {"spilled", Unit::number, 4,
       "bytes of the memory that an element of a tile moves at its end beside the result, where a kernel leaves its "
       "accumulators there: all tiles of a wave share the bandwidth",
       Use::serving},
      {"strided", Unit::number, 1,
       "what a byte of an operand costs where k runs along its rows and these are no multiple of 4 KiB, in bytes of "
       "other operands that are read from the memory",
       Use::refining},
      {"strided_step", Unit::number, 1,
       "how much longer the arithmetic of a tile takes where that is so of both operands", Use::refining},
  };
}

constexpr double kSplits[]      = {1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32};
constexpr double kShortestSplit = 128;   // of k
constexpr double kMostWaves     = 4;     // with more waves k is never cut
constexpr double kSmallest      = 1024;  // elements of the tile that `small_tile` is about

Chooser chooser_of(const Sizes& sizes) { return static_cast<Chooser>(static_cast<int>(sizes[7])); }

class Product {
 public:
  Product(std::span<const double> c, const Sizes& sizes, const Hardware& hardware)
      : c_(c),
        m_(sizes[0]),
        n_(sizes[1]),
        k_(sizes[2]),
        in_(sizes[3]),
        out_(sizes[4]),
        batch_(std::max(1.0, sizes[6])),
        chooser_(chooser_of(sizes)),
        hardware_(hardware) {
    apart_             = sizes[8] > 0 && sizes[9] > 0 && !in_blocks() ? c_[kStridedStep] : 1;
    const double first = batch_ * in_ * k_ * m_, second = batch_ * in_ * k_ * n_,
                 result = batch_ * c_[kWritten] * out_ * m_ * n_;
    traffic_            = first * fetched(first) * strided(sizes[8], first) +
               second * fetched(c_[kSets] * second) * strided(sizes[9], second) + result;
    traffic_ *= 1 - (1 - c_[kCache]) / (1 + std::pow((first + second + result) / hardware_.cache, 4));
    if (chooser_ == Chooser::vllm_ada) {
      best_ = in_tiles(tile_of_vllm_on_ada(m_, n_));
      return;
    }
    best_ = std::numeric_limits<double>::infinity();
    if (std::min(m_, n_) <= 1) best_ = by_vector();
    const size_t tiles = kTiles.size() - (chooser_ == Chooser::blackwell ? 0 : kBlackwellTiles);
    for (size_t i = 0; i < tiles; ++i) try_tile(kTiles[i]);
  }
  double best() const { return best_; }

 private:
  // The share of an operand's bytes that calls take from the memory, one after the other, where `bytes` are to stay in
  // the shared cache in between. What is a little too large is evicted before it is read again.
  double fetched(double bytes) const {
    constexpr double kCliff = 16;
    return 1 - c_[kReused] / (1 + std::pow(bytes / hardware_.cache, kCliff));
  }

  // True where rows along k are whole blocks of 4 KiB.
  bool in_blocks() const {
    constexpr double kBlock = 4096;
    return std::fmod(k_ * in_, kBlock) == 0;
  }

  // The cost of a byte of an operand of `bytes` for the order in which it lies in memory.
  double strided(double along_k, double bytes) const {
    constexpr double kCliff = 4;
    if (along_k == 0 || in_blocks()) return 1;
    const double held = 1 / (1 + std::pow(bytes / hardware_.cache, kCliff));
    return 1 + (c_[kStrided] - 1) * (1 - held);
  }

  double bandwidth(double active) const { return std::min(hardware_.bandwidth * c_[kMemory], active * c_[kProcessor]); }

  double by_vector() const {
    constexpr double kRows = 8;  // that one processor sums at a time
    return c_[kLaunch] + traffic_ / bandwidth(std::ceil(batch_ * std::max(m_, n_) / kRows)) + c_[kVector] * k_;
  }

  double tiles_of(const Tile& tile) const { return batch_ * std::ceil(m_ / tile.m) * std::ceil(n_ / tile.n); }

  // The time of one step along k. Its arithmetic is that of whole instructions, whose rows are those of either side.
  double step_of(const Tile& tile) const {
    const double rows = rows_of(chooser_), area = tile.area();
    const double work = std::min(std::max(rows, tile.m) * tile.n, tile.m * std::max(rows, tile.n));
    const double peak = hardware_.peak / hardware_.processors * c_[kEfficiency] * tile.units;
    return std::max(apart_ * 2 * work / peak * (1 + c_[kSmall] * kSmallest / area),
                    (tile.m + tile.n) * in_ / c_[kOperands]) /
           tile.processors;
  }

  double fixed_of(const Tile& tile) const {
    return c_[kTile] + c_[kResult] * tile.area() * out_ / 1024 / tile.processors;
  }

  // In tiles of one shape, without cuts of k.
  double in_tiles(const Tile& tile) const {
    const double tiles = tiles_of(tile), waves = std::ceil(tiles / hardware_.processors);
    const double spilled = tiles * tile.area() * c_[kSpilled] / (hardware_.bandwidth * c_[kMemory]);
    const double tensor  = std::max(waves * fixed_of(tile), spilled) + waves * step_of(tile) * k_;
    return c_[kLaunch] + joined(tensor, traffic_ / bandwidth(std::min(tiles, hardware_.processors)), c_[kJoin]);
  }

  void try_tile(const Tile& tile) {
    const double tiles = tiles_of(tile), step = step_of(tile), fixed = fixed_of(tile);
    const double at_once = hardware_.processors / tile.processors;
    for (const double parts : kSplits) {
      if (parts > 1 && (k_ / parts < kShortestSplit || tiles >= kMostWaves * at_once)) return;
      const double waves  = std::ceil(tiles * parts / at_once);
      const double rate   = bandwidth(std::min(tiles * parts * tile.processors, hardware_.processors));
      const double sums   = parts > 1 ? c_[kSplit] + c_[kSums] * 4 * batch_ * m_ * n_ * parts / rate : 0;
      const double tensor = waves * (fixed + step * k_ / parts), memory = traffic_ / rate;
      if (c_[kLaunch] + sums + std::max(tensor, memory) >= best_) continue;
      best_ = std::min(best_, c_[kLaunch] + sums + joined(tensor, memory, c_[kJoin]));
    }
  }

  std::span<const double> c_;
  double m_, n_, k_, in_, out_, batch_;
  Chooser chooser_;
  const Hardware& hardware_;
  double traffic_ = 0, best_ = 0;
  double apart_ = 1;  // how much longer arithmetic takes for the order of the operands
};

// The time in which the measured program rounds A to bytes. That on Ada does it in several kernels of element-wise ops,
// which hand over what the shared cache holds.
double rounding(std::span<const double> c, const Sizes& sizes, const Hardware& hardware) {
  constexpr double kBytes = 2 + 4, kCliff = 4;  // of an element in 16 bits, and in 32
  const double elements = sizes[0] * sizes[2];
  const double held     = 1 / (1 + std::pow(kBytes * elements / hardware.cache, kCliff));
  const double share    = chooser_of(sizes) == Chooser::vllm_ada ? 1 - (1 - c[kRounded]) * held : 1;
  return c[kQuantise] * elements * share;
}

double seconds(std::span<const double> c, const Sizes& sizes, const Hardware& hardware) {
  const double best = Product(c, sizes, hardware).best();
  const double hot  = 1 + c[kThrottle] * best / (best + c[kWarm]);
  return (sizes[3] == 1 ? rounding(c, sizes, hardware) : 0) + best * hot * (sizes[5] > 0 ? c[kUnaligned] : 1);
}

}  // namespace

LawDef row() { return {"product", "a product of matrices, in waves of tiles", constants(), seconds}; }

}  // namespace foreflow::cost::definitions::product
