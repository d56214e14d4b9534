// Keeps track of the copies of a program's values on the devices of a pipeline. A device number here stands for a group
// of as many devices as the program has, counted from 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/ir/builder.h"
#include "transform/layout/layout_domain.h"

namespace foreflow::transform {

constexpr int kEveryMicrobatch = -1;  // a value that does not depend on the microbatch: weights, sums

class PlacedValues {
 public:
  // `groups`: the number of devices of each group; empty: as many as the program has.
  PlacedValues(ir::FunctionBuilder& builder, const interpret::Values<LaidOut>& values, int microbatches,
               const std::vector<int>& groups);

  // The device of group `group` that corresponds to `device` of the program.
  ir::Device on(const ir::Device& device, int group) const;
  ir::Device device_of(ir::ValueId id, int group) const;

  // Identifies a value on a device, for any microbatch. Saves look-ups, since every microbatch asks for the same ones.
  using Spot = uint32_t;
  Spot spot(ir::ValueId id, int device);
  ir::ValueId at(Spot spot, int microbatch) const { return on_device_[spot].of(microbatch); }
  void set(Spot spot, int microbatch, ir::ValueId made);

  // The copy of `id` for a microbatch on a device, in the new function; none if there is no copy yet.
  ir::ValueId find(ir::ValueId id, int microbatch, int device) const;
  void set(ir::ValueId id, int microbatch, int device, ir::ValueId made);
  // Sends the copy from device `from` to device `to` and returns the new copy.
  ir::ValueId send(ir::ValueId id, int microbatch, int from, int to);
  // Writes a Reshard of the program, `op` of `function`, with these copies of its operands, and takes its results as
  // the copies on device `to`.
  void reshard(const ir::Function& function, const ir::Op& op, std::span<const ir::ValueId> operands, int microbatch,
               int to);
  // The devices with a copy that all microbatches share, in the order in which they got it.
  std::vector<int> devices_of(ir::ValueId id) const;

 private:
  struct OnDevice {
    int device;
    ir::ValueId shared;            // by all microbatches
    std::vector<ir::ValueId> own;  // by microbatch; empty where there are none

    ir::ValueId of(int microbatch) const {
      if (microbatch == kEveryMicrobatch) return shared;
      return own.empty() ? ir::ValueId::none : nth(own, microbatch);
    }
  };

  ir::FunctionBuilder& builder_;
  const interpret::Values<LaidOut>& values_;
  const size_t microbatches_;
  int32_t group_ = 1;                  // number of devices of the program before it became a pipeline
  std::vector<int32_t> before_;        // per group of unequal ones: number of devices of those before it
  std::vector<OnDevice> on_device_;    // by spot
  std::vector<std::vector<Spot>> at_;  // per value
};

}  // namespace foreflow::transform
