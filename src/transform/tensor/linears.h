// Finds the linear layers of a program (products with a weight) and traces values back to them. transformer.h
// recognises blocks with it. Names of values and weights are not used.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/module.h"

namespace foreflow::transform {

// y[.., out] = x[.., in] * weight[in, out] (+ bias[out]), or with the weight stored as [out, in]. Of experts:
// y[e, .., out] = x[e, .., in] * weight[e, in, out].
struct Linear {
  size_t op      = 0;               // the product
  size_t weight  = 0;               // parameter
  int32_t in_dim = 0, out_dim = 1;  // of the weight
  ir::ValueId activation     = ir::ValueId::none;
  std::optional<size_t> bias = {};  // parameter [out]
  int64_t cache_heads        = 0;   // of the cache [b,heads,rows,size] that all of y is written to; 0: of none
};

// The origins of a value: what remains when views and elementwise ops are followed back from it. Those of an updated
// cache are the cache, which is data, and those of the rows that were written last.
struct Sources {
  std::set<size_t> linears;     // indices into LinearGraph::linears()
  std::set<size_t> others;      // ops that combine elements: normalizations, sums, products of activations
  bool reads_data     = false;  // data parameters are among the origins
  bool activates      = false;  // the path does arithmetic besides adding weights
  int64_t cache_heads = 0;      // of a cache [b,heads,rows,size] on the path; 0: none
};

// The linear layers of the forward pass of a function, which ends before the first gradient of a loss.
class LinearGraph {
 public:
  LinearGraph(const ir::Function& function, const interpret::Values<interpret::Mixed>& values);

  const std::vector<Linear>& linears() const { return linears_; }
  Sources sources(ir::ValueId value) const;
  // The parameter that a value is a copy of, up to conversions and transpositions.
  struct Stored {
    size_t parameter;
    bool transposed = false;
  };
  std::optional<Stored> stored(ir::ValueId value) const;

  // The number of ops before the backward pass.
  size_t forward_ops() const { return forward_ops_; }
  // The op that makes a value; none for a parameter.
  std::optional<size_t> maker(ir::ValueId value) const;
  // Returns true if the op is a product of two activations.
  bool contracts(size_t op) const { return contracts_[op]; }
  // Forward ops that read a value.
  const std::vector<size_t>& readers(ir::ValueId value) const { return readers_[ir::index(value)]; }
  bool passes(size_t op) const { return passes_[op]; }

 private:
  void classify(size_t o);
  void add(Linear linear);
  int64_t heads_of_cache(ir::ValueId cache) const;
  void find_bias(Linear& linear) const;
  bool is_matrix(size_t parameter, size_t operand) const;
  bool is_of_experts(size_t parameter) const;

  const ir::Function& function_;
  const interpret::Values<interpret::Mixed>& values_;
  size_t forward_ops_ = 0;
  std::vector<int64_t> maker_;                // per value; -1: none
  std::vector<std::vector<size_t>> readers_;  // per value
  std::vector<bool> passes_, contracts_;      // per forward op
  std::vector<int64_t> linear_of_;            // per forward op; -1: none
  std::vector<Linear> linears_;
};

}  // namespace foreflow::transform
