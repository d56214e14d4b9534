// Decides which products of a function `overlap_tensor` computes in chunks, and which collectives run beside them. Ops
// are named by their indices in the function. overlap_tensor.cpp shows a picture of each case.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "foreflow/interpret/mixed.h"
#include "transform/overlap/interleaved_rows.h"
#include "transform/rewrite/product_cuts.h"

namespace foreflow::transform {

// How a collective that sums products over the devices of a group is cut. Nothing but the collective reads the
// products, which stand directly before it. An operand may be the sum of several products: where gradients of weights
// are computed elsewhere, the products that read the same x in the forward pass each give a term of its gradient.
struct SumCut {
  ProductCut rows;                                    // the dimension that is cut into chunks
  bool interleaved                          = false;  // a reduce-scatter along `rows`: see interleaved_rows.h
  bool whole                                = false;  // one chunk only, which runs beside the gradient of the weight
  std::vector<std::vector<size_t>> products = {};     // by operand of the collective
  std::vector<size_t> additions             = {};     // the ops that add up the products of an operand
};

// A collective whose operands each add up the gradients of x of several MatMulGrads. It runs beside the gradients of
// weights of these products.
struct SumOfSeveral {
  std::vector<size_t> products;
  // The ops between the products and the collective that depend on the gradients of weights. They move behind it.
  std::vector<size_t> readers;
};

// How an all-gather of rows that products read is hidden. Each device has equally many of these products, and
// everything else that reads the rows stands behind the first of them.
struct GatherCut {
  bool whole;           // true: one gather beside other products; false: the rows travel round a ring, one block a step
  bool joined = false;  // of a ring: other ops read the rows, too, so the blocks are joined at the end
  std::vector<std::vector<size_t>> readers;  // the products, per device
  size_t first() const;                      // the first product of all devices
};

// A product that processes the rows of `gather` block by block, as they arrive round the ring.
struct RingProduct {
  size_t gather;
  ProductCut rows;
};

struct ChunkedProducts {
  std::map<size_t, SumCut> sums;                   // by the collective
  std::set<size_t> delayed;                        // products and additions of `sums`, written with their collective
  std::map<size_t, SumOfSeveral> sums_of_several;  // by the collective
  std::set<size_t> late;                           // SumOfSeveral::products of all of them
  std::set<size_t> postponed;                      // SumOfSeveral::readers of all of them
  std::map<size_t, GatherCut> gathers;             // by the all-gather
  std::map<size_t, std::vector<size_t>> ahead;  // by an op: the all-gathers further down that already begin before it
  std::set<size_t> begun;                       // the all-gathers in `ahead`
  std::map<size_t, RingProduct> rings;          // by the product
  // MatMulGrads that are not in `delayed` and whose x is gathered as a whole, beside their gradient of x.
  std::set<size_t> beside;

  bool empty() const { return sums.empty() && sums_of_several.empty() && gathers.empty(); }
};

// `uses` is ir::uses_of and `makers` is ir::makers_of of the function; products are cut into `chunks` chunks.
ChunkedProducts chunked_products(const ir::Function& function, const interpret::Instance<interpret::Mixed>& instance,
                                 const std::vector<int32_t>& uses, const std::vector<int32_t>& makers, int chunks);

}  // namespace foreflow::transform
