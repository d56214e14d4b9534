// Devices as the laws of their kernels see them.
#pragma once

#include <string>
#include <string_view>

#include "cost/laws/law.h"

namespace foreflow::cost {

// Which matrix units a device has, as far as laws tell them apart.
enum class Units : uint8_t { ampere_or_earlier, hopper, blackwell };

// The facts about a device that are not in its data sheet.
struct Processors {
  std::string_view device;     // "A100-SXM4-80GB"
  std::string_view data_name;  // what data sets call it: "a100_sxm"
  int count;
  double cache;  // MB
  Units units;
  std::string_view source;

  // Attention was measured with kernels made for the device.
  bool hopper_or_later() const { return units != Units::ampere_or_earlier; }
};
const std::vector<Processors>& processors();

// Throws Error at `where` when the device has no row.
const Processors& processors_of(const std::string& device, const std::string& where);

// The peak of the device that has these processors, by its data sheet; 0 where it has no such type.
FlopsPerSecond peak_of(const Processors& processors, std::string_view dtype);

Hardware hardware_of(const platform::Device& device, std::string_view dtype, const Processors& processors);

}  // namespace foreflow::cost
