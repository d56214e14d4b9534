// The prices of the ops of a program. Each distinct op is priced once.
#pragma once

#include "foreflow/ir/written_devices.h"
#include "foreflow/transform/pipeline.h"
#include "transform/layout/layout_domain.h"

namespace foreflow::transform {

// The devices that run a program, which has a copy of every op for each of them or for some of them.
class DevicesOfProgram {
 public:
  // `written`: as StagePrices::written.
  DevicesOfProgram(const interpret::Values<LaidOut>& values, const ir::WrittenDevices& written);

  int count() const { return count_; }
  // How many devices have such a value.
  int copies_of(const LaidOut& value) const {
    const int32_t device = ir::device_of(value.value.type).index;
    return device > 0 ? written_.copies(device - 1) : 1;
  }
  // The first device that has such a value, among all devices; with `copy`, one of those that follow it.
  ir::Device device_of(const LaidOut& value, int copy = 0) const {
    ir::Device device = ir::device_of(value.value.type);
    if (device.index > 0) device.index = written_.first(device.index - 1) + copy + 1;
    return device;
  }
  // How many devices run the op; of a communication: how often it takes place.
  int copies_of(const ir::Op& op, const interpret::Values<LaidOut>& values) const {
    return op.def->role == ir::Role::communication || op.result_count == 0 ? 1 : copies_of(values[op.first_result]);
  }
  // The part of the devices that take part in a communication. Each group of them has a communication of its own, as
  // has each context with the groups of tensor parallelism.
  double share_of(const ir::Op& communication, const interpret::Values<LaidOut>& values) const {
    int members = 0;
    for (uint32_t i = 0; i < communication.result_count; ++i)
      members += copies_of(values[communication.first_result + i]);
    return static_cast<double>(members) / count_;
  }

 private:
  ir::WrittenDevices written_;
  int count_;
};

class OpPrices {
 public:
  // The batch is cut into `ways` parts.
  OpPrices(const StagePrices& prices, int ways) : prices_(prices), ways_(ways), judge_(ways) {}

  struct Price {
    double flops;     // of the whole batch
    Seconds seconds;  // of one part
  };
  // For the values of one interpretation. An op that cannot go on with a part of the batch has the price of the
  // operands that it needs; who distributes the program refuses it.
  const Price& operator()(const ir::Function& function, const ir::Op& op, const interpret::Values<LaidOut>& values);

 private:
  Price price(const ir::Function& function, const ir::Op& op, const interpret::Values<LaidOut>& values);

  const StagePrices& prices_;
  int ways_;
  Judge judge_;
  ir::AttributeKeys attributes_;
  SequenceTable known_;
  std::vector<Price> found_;  // by number in known_
  std::vector<uint64_t> words_;
};

}  // namespace foreflow::transform
