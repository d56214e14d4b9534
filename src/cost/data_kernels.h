// Kernels that calibration/profile.py measured, as samples of laws.
#pragma once

#include "cost/data_forms.h"

namespace foreflow::cost {

// Products in bf16 that take long enough for the clock to settle, one for each op. The two products of a MatMulGrad
// were timed together and are left out; so are those whose rows begin at odd addresses.
std::vector<Measured> kernels_in_training(const FieldsOfRow& row, const std::string& device);

}  // namespace foreflow::cost
