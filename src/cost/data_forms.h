// The forms in which authors publish their measurements.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cost/data_row.h"
#include "cost/fit.h"

namespace foreflow::cost {

// One measurement that a row holds, and the law that it is a sample of.
struct Measured {
  std::string law;  // "product"
  std::string of;   // "bf16"
  Sample sample;
};

// Which constants of a law a file determines.
enum class Fits : uint8_t {
  all,
  clock  // its shapes are few: those of the clock, beside the others of the law of the same data type
};

struct DataForm {
  std::string_view column;  // that only files of this form have
  bool several_devices;     // the first cell names the device
  std::vector<Measured> (*read)(const FieldsOfRow& row, const std::string& device);
  std::string_view by;  // whose measurements, with their licence
  Fits fits = Fits::all;
};

// The first form of which a file has the column is its form.
const std::vector<DataForm>& data_forms();

}  // namespace foreflow::cost
