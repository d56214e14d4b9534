// Where the values of a program are, once it is distributed over the devices of a pipeline. A device here is a group of
// devices as large as the program's.
#pragma once

#include <cstdint>

#include "foreflow/ir/builder.h"
#include "transform/layout/layout_domain.h"

namespace foreflow::transform {

constexpr int kEveryMicrobatch = -1;  // a value that does not depend on the microbatch: weights, sums

class PlacedValues {
 public:
  PlacedValues(ir::FunctionBuilder& builder, const interpret::Values<LaidOut>& values, int microbatches);

  // The program's device in a group.
  ir::Device on(const ir::Device& device, int group) const;
  ir::Device device_of(ir::ValueId id, int group) const;

  // A number for a value on a device: calls of a stage ask for the same ones for every microbatch.
  using Spot = uint32_t;
  Spot spot(ir::ValueId id, int device);
  ir::ValueId at(Spot spot, int microbatch) const { return on_device_[spot].of(microbatch); }
  void set(Spot spot, int microbatch, ir::ValueId made);

  // The value of the new function for one of the old; none: not there yet.
  ir::ValueId find(ir::ValueId id, int microbatch, int device) const;
  void set(ir::ValueId id, int microbatch, int device, ir::ValueId made);
  // Sends it from a device that has it.
  ir::ValueId send(ir::ValueId id, int microbatch, int from, int to);
  // The devices that have it for all microbatches, the first one first.
  std::vector<int> devices_of(ir::ValueId id) const;

 private:
  struct OnDevice {
    int device;
    ir::ValueId shared;            // by all microbatches
    std::vector<ir::ValueId> own;  // by microbatch; empty where there are none

    ir::ValueId of(int microbatch) const {
      if (microbatch == kEveryMicrobatch) return shared;
      return own.empty() ? ir::ValueId::none : own[static_cast<size_t>(microbatch)];
    }
  };

  ir::FunctionBuilder& builder_;
  const interpret::Values<LaidOut>& values_;
  const size_t microbatches_;
  int32_t group_ = 1;                  // devices of the program before
  std::vector<OnDevice> on_device_;    // by spot
  std::vector<std::vector<Spot>> at_;  // per value
};

}  // namespace foreflow::transform
