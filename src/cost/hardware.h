// Devices as the laws of their kernels see them.
#pragma once

#include <string>
#include <string_view>

#include "cost/laws/law.h"

namespace foreflow::cost {

// What is known of a device besides its data sheet.
struct Processors {
  std::string_view device;     // "A100-SXM4-80GB"
  std::string_view data_name;  // what data sets call it: "a100_sxm"
  int count;
  double cache;  // MB
  bool hopper;   // Hopper or later: attention was measured with kernels made for it
  std::string_view source;
};
const std::vector<Processors>& processors();

// Throws Error at `where` when the device has no row.
const Processors& processors_of(const std::string& device, const std::string& where);

Hardware hardware_of(const platform::Device& device, std::string_view dtype, const Processors& processors);

}  // namespace foreflow::cost
