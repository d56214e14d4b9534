// Which products of a function `overlap_tensor` computes in chunks, and beside which collectives.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "foreflow/interpret/mixed.h"
#include "transform/overlap/interleaved_rows.h"
#include "transform/rewrite/product_cuts.h"

namespace foreflow::transform {

// A sum of products that stand directly before it and that nothing else reads.
struct SumCut {
  ProductCut rows;
  bool interleaved = false;  // the sum parts the same rows over its devices
  bool whole       = false;  // one chunk: the sum runs beside the gradient of the weight
};

// A gathered operand of products, as many on each device, that nothing else reads.
struct GatherCut {
  bool whole;  // gathered at once beside the gradient of x, and read by that of the weight; else round a ring
};

// A product of which such an operand is read.
struct GatheredRows {
  ProductCut rows;
  bool whole;
};

// By the numbers of ops.
struct ChunkedProducts {
  std::map<size_t, SumCut> sums;
  std::set<size_t> delayed;  // products that are written where their sum stands
  // Sums of what several gradients of x add up to, with these products: the sum runs beside their gradients of weights.
  std::map<size_t, std::vector<size_t>> sums_of_several;
  std::set<size_t> late;  // those products
  std::map<size_t, GatherCut> gathers;
  std::map<size_t, GatheredRows> gathered;  // products that are not delayed
  // Of a value that goes round a ring, the products of its device that read it: each takes its rows as they come.
  std::map<ir::ValueId, std::vector<size_t>> readers;

  bool empty() const { return sums.empty() && sums_of_several.empty() && gathers.empty(); }
};

// `uses` is ir::uses_of, `makers` ir::makers_of.
ChunkedProducts chunked_products(const ir::Function& function, const interpret::Instance<interpret::Mixed>& instance,
                                 const std::vector<int32_t>& uses, const std::vector<int32_t>& makers, int chunks);

// The gradients of x and of w of x[.., s, h] w[h, f], from x, w and dy.
bool is_product_gradient(const ir::Op& product);

// The operand of a product whose rows are those of its first result.
size_t rows_operand(const ir::Op& product);

}  // namespace foreflow::transform
