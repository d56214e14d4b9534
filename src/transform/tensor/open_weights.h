// Keeps track of the weights and caches whose layout their first use decides, and of copies that stand for them: an
// exporter may store a weight as [out, in], or in fewer bits.
#pragma once

#include "transform/tensor/to_shard.h"

namespace foreflow::transform {

class OpenWeights {
 public:
  explicit OpenWeights(const FunctionToShard& of);

  // A weight, or a converted or transposed copy of one.
  struct Stored {
    int32_t weight  = -1;
    bool transposed = false;
  };

  // Declares a parameter.
  void add(size_t parameter, bool open);
  // Returns true if the weight, or the weight that the value is a copy of, has had no use so far except by copies.
  bool is_open(ir::ValueId id) const;
  const Stored& stored(ir::ValueId id) const { return stored_[ir::index(id)]; }

  // If the op copies, converts, dequantises or transposes an open weight, its result stands for the weight from now on.
  // Returns whether it does.
  bool follow_copy(const Arrival& arrival);
  // Marks the use of a value. Returns whether it was open before.
  bool use(ir::ValueId id);

 private:
  bool keeps_weight(const Arrival& arrival) const;
  bool dequantises(const Arrival& arrival) const;

  const FunctionToShard& of_;
  std::vector<bool> open_;      // per value: a weight or a cache, or a copy of one, without a use so far
  std::vector<Stored> stored_;  // per value: the weight that it is or was copied from
};

}  // namespace foreflow::transform
