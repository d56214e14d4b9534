#include "foreflow/cost/device_calibration.h"

#include <map>

#include "cost/data_sets.h"
#include "cost/hardware.h"
#include "foreflow/base/text.h"

namespace foreflow::cost {
namespace {

constexpr double kLongMessage = 1e6;  // bytes

// The data type whose peak counts: a collective has none.
std::string_view peak_of(const DataSet& set) {
  return set.law == "collective" ? "f32" : std::string_view(set.of).substr(0, set.of.find(' '));
}

FittedLaw fitted(const DataSet& set, const Hardware& hardware) {
  const LawDef& law = laws().get(set.law, "calibration");
  const Fit best    = fit(law, hardware, set.samples);
  FittedLaw result{set.law,    set.of,       best.constants, best.determined, set.source, set.samples.size(),
                   best.error, best.held_out};
  if (set.law != "collective") return result;
  std::vector<Sample> shorter, longer;
  for (const Sample& sample : set.samples) (sample.sizes[1] < kLongMessage ? shorter : longer).push_back(sample);
  if (!shorter.empty()) result.short_error = mean_error(law, hardware, best.constants, shorter);
  if (!longer.empty()) result.long_error = mean_error(law, hardware, best.constants, longer);
  return result;
}

}  // namespace

DeviceCalibration calibrate_device(const std::string& device, const std::vector<std::string>& files,
                                   const std::string& folder) {
  const Processors& known      = processors_of(device, "--device");
  const platform::Device sheet = platform::device_of(platform::devices().get(device, "--device").sheet);
  std::map<std::pair<std::string, std::string>, DataSet> sets;
  for (const std::string& file : files) {
    for (DataSet& set :
         read_data_sets(read_file(folder.empty() ? file : folder + "/" + file), file, std::string(known.data_name))) {
      const auto [found, fresh] = sets.try_emplace({set.law, set.of}, std::move(set));
      if (fresh) continue;
      found->second.source += "; " + set.source;
      found->second.samples.insert(found->second.samples.end(), set.samples.begin(), set.samples.end());
    }
  }
  if (sets.empty()) throw Error("--device", "the files hold no measurement of " + device);
  DeviceCalibration calibration{device, {}, files};
  for (const auto& [key, set] : sets) calibration.laws.push_back(fitted(set, hardware_of(sheet, peak_of(set), known)));
  return calibration;
}

}  // namespace foreflow::cost
