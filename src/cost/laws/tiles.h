// The tiles in which kernels compute a product of matrices, and who chooses among them.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace foreflow::cost {

// A part of the result, in elements.
struct Tile {
  double m, n;
  double processors = 1;  // that make it together
  // The share of a processor's matrix units that work on it: each of its four parts has one, for the warps that run
  // there.
  double units = 1;

  double area() const { return m * n; }
};

// The last kBlackwellTiles are those of tcgen05, whose accumulators have a memory of their own: they have up to 256
// columns, and two processors make those of 256 rows together (cta_group::2 of the PTX ISA).
constexpr std::array<Tile, 21> kTiles{{{256, 128}, {128, 256},    {128, 128},  {128, 64}, {64, 128}, {64, 64},
                                       {64, 32},   {32, 64},      {32, 32},    {16, 64},  {64, 16},  {16, 128},
                                       {128, 16},  {128, 32},     {32, 128},   {64, 256}, {256, 64}, {128, 192},
                                       {192, 128}, {256, 128, 2}, {256, 64, 2}}};
constexpr size_t kBlackwellTiles = 8;

// Who chooses the tile.
enum class Chooser : uint8_t {
  library,   // a library that measures: the fastest of all but those of Blackwell
  vllm_ada,  // vLLM, by a table, for products of bytes on GPUs of compute capability 8.9
  blackwell  // a library on Blackwell: the fastest of all, in whole instructions of tcgen05
};

// The rows of a product that one instruction makes (PTX ISA): 16 of `mma`; 128 of `tcgen05.mma`, which takes as long
// for 64.
constexpr double rows_of(Chooser chooser) { return chooser == Chooser::blackwell ? 128 : 16; }

// The tile that vLLM takes for C[m,n] on compute capability 8.9, whatever k is; it never cuts k (kernels of CUTLASS 2;
// vllm-project/vllm, Apache-2.0, csrc/quantization/cutlass_w8a8/scaled_mm_c2x_sm89_fp8_dispatch.cuh). Its table goes by
// m and by the power of two that n does not exceed.
inline Tile tile_of_vllm_on_ada(double m, double n) {
  const double columns = std::exp2(std::ceil(std::log2(n)));
  const bool narrow = columns <= 8192, wide = columns > 16384;
  if (m <= 16 && !wide) return narrow ? Tile{16, 64, 1, 0.5} : Tile{16, 128, 1, 0.5};  // two warps
  if (m <= 32) return narrow || wide ? Tile{32, 64} : Tile{32, 128};
  if (m <= 64) return narrow || wide ? Tile{64, 64} : Tile{64, 128};
  if (m <= 128) return narrow ? Tile{64, 128} : wide ? Tile{128, 64} : Tile{128, 128};
  if (m <= 256) return columns <= 4096 ? Tile{64, 128} : Tile{128, 128};
  return columns > 4096 && narrow ? Tile{256, 128} : Tile{128, 128};
}

}  // namespace foreflow::cost
