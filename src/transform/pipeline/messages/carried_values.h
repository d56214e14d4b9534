// Carries values from the stages that make them to those that need them.
#pragma once

#include "transform/pipeline/messages/scattered_sends.h"

namespace foreflow::transform {

class CarriedValues {
 public:
  // All must outlive it.
  CarriedValues(const PipelinedProgram& program, const ValueSources& sources, ScatteredSends& scattered,
                PlacedValues& placed)
      : program_(program), sources_(sources), scattered_(scattered), placed_(placed) {}

  // The copy of a value on a device. It is sent there on first use.
  ir::ValueId get(ir::ValueId id, int part, int device);
  // Sends it there before it is used.
  void send(ir::ValueId id, int part, int device);
  // Writes the Reshards of which it is the first operand.
  void transfer_from(ir::ValueId id, int part);

 private:
  void transfer(size_t o, int part);

  const PipelinedProgram& program_;
  const ValueSources& sources_;
  ScatteredSends& scattered_;
  PlacedValues& placed_;
};

}  // namespace foreflow::transform
