#include "foreflow/cost/device_calibration.h"

#include <fmt/core.h>

#include <filesystem>
#include <map>

#include "cost/data_sets.h"
#include "cost/hardware.h"
#include "foreflow/base/error.h"
#include "foreflow/base/text.h"

namespace foreflow::cost {
namespace {

constexpr double kLongMessage = 1e6;  // bytes

// The data type whose peak counts: a collective has none.
std::string_view peak_of(const DataSet& set) {
  return set.law == "collective" ? "f32" : std::string_view(set.of).substr(0, set.of.find(' '));
}

// In the first folder that has it.
std::string path_of(const std::string& file, const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    const std::filesystem::path path = std::filesystem::path(folder) / file;
    if (std::filesystem::exists(path)) return path.string();
  }
  return folders.empty() ? file : (std::filesystem::path(folders.front()) / file).string();
}

// The law of the same device and data type whose constants beside those of the clock a set of few samples takes.
Fit rest_of(const DataSet& set, const std::vector<FittedLaw>& before) {
  const std::string_view type = peak_of(set);
  for (const FittedLaw& law : before) {
    if (law.law == set.law && law.of == type) return {law.constants, law.determined};
  }
  throw Error("--device", fmt::format("the few samples of {} say how fast the clock is; the rest of a law takes more: "
                                      "give a file with products in {} as well",
                                      set.source, type));
}

// `before`: the laws that are fitted already, those of a data type before those of the same type in training.
FittedLaw fitted(const DataSet& set, const Hardware& hardware, const std::vector<FittedLaw>& before) {
  const LawDef& law = laws().get(set.law, "calibration");
  const Fit best =
      set.clock_only ? fit_clock(law, hardware, set.samples, rest_of(set, before)) : fit(law, hardware, set.samples);
  FittedLaw result{set.law,    set.of,       best.constants, best.determined, set.source, set.samples.size(),
                   best.error, best.held_out};
  if (set.clock_only)
    result.source += "; efficiency and throttle, the rest of " + set.law + " " + std::string(peak_of(set));
  if (set.law != "collective") return result;
  std::vector<Sample> shorter, longer;
  for (const Sample& sample : set.samples) (sample.sizes[1] < kLongMessage ? shorter : longer).push_back(sample);
  if (!shorter.empty()) result.short_error = mean_error(law, hardware, best.constants, shorter);
  if (!longer.empty()) result.long_error = mean_error(law, hardware, best.constants, longer);
  return result;
}

}  // namespace

DeviceCalibration calibrate_device(const std::string& device, const std::vector<std::string>& files,
                                   const std::vector<std::string>& folders) {
  const Processors& known      = processors_of(device, "--device");
  const platform::Device sheet = platform::device_of(platform::devices().get(device, "--device").sheet);
  std::map<std::pair<std::string, std::string>, DataSet> sets;
  for (const std::string& file : files) {
    for (DataSet& set : read_data_sets(read_file(path_of(file, folders)), file, std::string(known.data_name))) {
      const auto [found, fresh] = sets.try_emplace({set.law, set.of}, std::move(set));
      if (fresh) continue;
      found->second.source += "; " + set.source;
      found->second.samples.insert(found->second.samples.end(), set.samples.begin(), set.samples.end());
    }
  }
  if (sets.empty()) throw Error("--device", "the files hold no measurement of " + device);
  DeviceCalibration calibration{device, {}, files};
  for (const auto& [key, set] : sets)
    calibration.laws.push_back(fitted(set, hardware_of(sheet, peak_of(set), known), calibration.laws));
  return calibration;
}

}  // namespace foreflow::cost
