// Which products of a function `overlap_tensor` computes in chunks, and beside which collectives.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "foreflow/interpret/mixed.h"
#include "transform/overlap/interleaved_rows.h"
#include "transform/rewrite/product_cuts.h"

namespace foreflow::transform {

// A sum of products that stand directly before it and that nothing else reads. Each operand may add up several, as that
// of the gradients of x of several weights does where gradients of weights are computed elsewhere.
struct SumCut {
  ProductCut rows;
  bool interleaved                          = false;  // the sum parts the same rows over its devices
  bool whole                                = false;  // one chunk: the sum runs beside the gradient of the weight
  std::vector<std::vector<size_t>> products = {};     // by operand
  std::vector<size_t> additions             = {};     // of them
};

// A sum of what gradients of x of several products add up to. It runs beside their gradients of weights.
struct SumOfSeveral {
  std::vector<size_t> products;
  std::vector<size_t> readers;  // of those gradients, directly or not, that stand before the sum
};

// A gathered operand of products, as many on each device. What else reads it comes after the first product.
struct GatherCut {
  bool whole;                                // gathered at once beside other products; else round a ring
  bool joined = false;                       // others than products read what goes round a ring
  std::vector<std::vector<size_t>> readers;  // those products, per device
  size_t first() const;                      // of all devices
};

// A product that takes its rows as they come round a ring.
struct RingProduct {
  size_t gather;
  ProductCut rows;
};

// By the numbers of ops.
struct ChunkedProducts {
  std::map<size_t, SumCut> sums;
  std::set<size_t> delayed;  // products that are written where their sum stands
  std::map<size_t, SumOfSeveral> sums_of_several;
  std::set<size_t> late;       // the products of those
  std::set<size_t> postponed;  // ops that read their gradients of weights, directly or not, before the sum
  std::map<size_t, GatherCut> gathers;
  std::map<size_t, std::vector<size_t>> ahead;  // gathers that begin before this op, which stands before them
  std::set<size_t> begun;                       // those
  std::map<size_t, RingProduct> rings;
  std::set<size_t> beside;  // products that are not delayed, whose x is gathered at once beside the gradient of it

  bool empty() const { return sums.empty() && sums_of_several.empty() && gathers.empty(); }
};

// `uses` is ir::uses_of, `makers` ir::makers_of.
ChunkedProducts chunked_products(const ir::Function& function, const interpret::Instance<interpret::Mixed>& instance,
                                 const std::vector<int32_t>& uses, const std::vector<int32_t>& makers, int chunks);

}  // namespace foreflow::transform
