// Prices of ops by the laws of a device.
#pragma once

#include <optional>

#include "cost/hardware.h"
#include "foreflow/cost/cost.h"
#include "foreflow/cost/device_calibration.h"

namespace foreflow::cost {

// The calibrations that a device may take laws from, the nearest first.
using Calibrations = std::vector<const DeviceCalibration*>;

// The sum over the kernels of the op. Nothing where no calibration has a law for it: products of a data type that was
// not measured, ops that launch no kernel.
//   1. Products by the law of their data type; bf16 stands for f16 and the reverse, which take the same units.
//   2. Attention forward by its law. Backward does 2.5 times the arithmetic at kBackward of the forward's rate.
//   3. Everything else by its traffic.
std::optional<Seconds> price_by_laws(const Application& application, const platform::Device& device,
                                     const Calibrations& calibrations);

}  // namespace foreflow::cost
