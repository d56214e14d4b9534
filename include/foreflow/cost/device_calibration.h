// The calibration of one device: laws of families of kernels and collectives (src/cost/laws) with the constants that
// were fitted to published measurements of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "foreflow/base/json.h"
#include "foreflow/base/units.h"

namespace foreflow::cost {

// A law with its constants, for one data type ("bf16") or one kind of collective ("all_reduce").
struct FittedLaw {
  std::string law, of;
  std::vector<double> constants;  // of the law, in its order, in SI units
  std::vector<bool> determined;   // per constant: by the measurements; otherwise it is the law's own default
  std::string source;
  size_t points   = 0;
  double error    = 0;  // mean absolute relative error, as a fraction
  double held_out = 0;  // the same in 5-fold cross-validation
  // The errors for messages below 1 MB, and for those of 1 MB and more. Only laws of collectives have them.
  std::optional<double> short_error = std::nullopt, long_error = std::nullopt;
};

struct DeviceCalibration {
  std::string device;                   // "A100-SXM4-80GB", a row of platform::devices()
  std::vector<FittedLaw> laws;          // by law, then by what it is of
  std::vector<std::string> files = {};  // of the measurements
};

// A collective among devices of one server.
struct ServerCollective {
  std::string_view device;  // "A100-SXM4-80GB"
  std::string_view kind;    // "all_reduce"
  int ranks;
  Bytes bytes;        // as collective::Kind defines it
  bool switch_adds;   // NVLS
  double bus_factor;  // collective::bus_factor
};

// Returns the time of the collective by the law that Foreflow ships for the device. Returns nothing if neither the
// device nor one with the same links was measured.
std::optional<Seconds> measured_collective(const ServerCollective& collective);

// The devices whose number of processors is known, which a calibration needs.
std::vector<std::string> calibrated_devices();

// The number of processors (streaming multiprocessors) of a device, or of the device whose laws it takes; 0: not known.
int processors_of_device(std::string_view device);

// Fits the laws of `device` to files of published measurements (src/cost/data_sets.h lists their forms). The same files
// give the same calibration. Throws Error for an unknown device and for what is wrong with a file.
// Paths are relative to the first of `folders` that has the file, or to the working directory where there is none.
DeviceCalibration calibrate_device(const std::string& device, const std::vector<std::string>& files,
                                   const std::vector<std::string>& folders = {});

// A calibration file: a scenario's "cost" with its sources, every constant with its unit and meaning. from_json throws
// Error naming file and path.
Json to_json(const DeviceCalibration& calibration);
DeviceCalibration device_calibration(const JsonView& json);

}  // namespace foreflow::cost
