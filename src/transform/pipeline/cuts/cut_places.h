// The places where a program may be cut into stages, with the work and the memory on either side.
#pragma once

#include <vector>

#include "foreflow/transform/pipeline.h"
#include "transform/pipeline/phases/phases.h"

namespace foreflow::transform {

// The bytes of weights, of their gradients, and of their optimizer states.
struct WeightBytes {
  Bytes weights{0}, gradients{0}, states{0};
};

// The times up to a place, as CutPlace has them.
struct PlaceTime {
  double seconds, forward;
  double messages = 0;
};

// A possible cut after forward op `op`. All numbers but `tensors`, `crossing` and `largest` are sums over the forward
// ops up to `op` and the backward ops anchored at them (pipeline/phases/anchors.h).
struct CutPlace {
  int32_t op;
  double flops;     // of the forward ops, for the whole batch
  double seconds;   // of a microbatch, forward, backward and to add up its gradients, on one device of a group
  Bytes weights;    // weights with their optimizer states and gradients, on one device
  Bytes held;       // activations of a microbatch kept for the backward pass, on one device
  int64_t tensors;  // number of tensors that cross the cut
  Bytes crossing;   // their bytes for a microbatch, from one device to another
  // The part of `weights` that ZeRO can shard: as a device has it, and divided by the number of ranks of the program
  // that hold copies of the weight, among which it is sharded even without further replicas.
  WeightBytes whole = {}, shard = {};
  Bytes largest{0};     // of the weights up to `op` that ZeRO can shard, on one device
  double forward  = 0;  // of `seconds`, those of the forward ops
  double messages = 0;  // of `seconds`, those of communications
  // By variant, where stages are sharded in different ways: the times on one device of a group of the variant times the
  // number of these. `seconds` then counts every part of the program in the fastest variant. Empty: all have the same.
  std::vector<PlaceTime> variants = {};

  PlaceTime time_in(size_t variant) const {
    return variants.empty() ? PlaceTime{seconds, forward, messages} : variants[variant];
  }
};

// All places, in order: one after each group (`ends`); the last one comes after the last forward op. A microbatch is
// one of `parts` parts of the batch, divided further by prices.replicas.
std::vector<CutPlace> cut_places(const ir::Function& function, const std::vector<StagePhase>& phases,
                                 const std::vector<int32_t>& ends, const std::vector<int32_t>& anchors,
                                 const interpret::Values<LaidOut>& values, const StagePrices& prices, int parts);

}  // namespace foreflow::transform
