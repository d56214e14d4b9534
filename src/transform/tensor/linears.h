// Products with a weight, and what a value is computed from between them: what the recognition of blocks asks of a
// program. Names play no part.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/module.h"

namespace foreflow::transform {

// y[.., out] = x[.., in] * weight[in, out] (+ bias[out]), or with the weight stored as [out, in].
struct Linear {
  size_t op      = 0;               // the product
  size_t weight  = 0;               // parameter
  int32_t in_dim = 0, out_dim = 1;  // of the weight
  ir::ValueId activation     = ir::ValueId::none;
  std::optional<size_t> bias = {};  // parameter [out]
};

// What a value is computed from by views and element by element.
struct Sources {
  std::set<size_t> linears;  // by number
  std::set<size_t> others;   // ops that mix elements: normalizations, sums, products of activations
  bool reads_data = false;   // parameters that are no weights
  bool activates  = false;   // some arithmetic besides adding weights
};

// The forward part of a function: what stands before the first gradient of a loss.
class LinearGraph {
 public:
  LinearGraph(const ir::Function& function, const interpret::Values<interpret::Mixed>& values);

  const std::vector<Linear>& linears() const { return linears_; }
  Sources sources(ir::ValueId value) const;
  // The parameter that a value is, apart from copies, conversions and transpositions.
  struct Stored {
    size_t parameter;
    bool transposed = false;
  };
  std::optional<Stored> stored(ir::ValueId value) const;

  // Ops before the backward pass.
  size_t forward_ops() const { return forward_ops_; }
  // The op that makes a value; none for a parameter.
  std::optional<size_t> maker(ir::ValueId value) const;
  // Two activations are multiplied: every tensor operand's letters, and one of them is summed over.
  bool contracts(size_t op) const { return contracts_[op]; }
  // Forward ops that read a value.
  const std::vector<size_t>& readers(ir::ValueId value) const { return readers_[ir::index(value)]; }
  bool passes(size_t op) const { return passes_[op]; }

 private:
  void classify(size_t o);
  void find_bias(Linear& linear) const;
  bool is_matrix(size_t parameter, size_t operand) const;

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
