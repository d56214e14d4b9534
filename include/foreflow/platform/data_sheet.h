// Data sheets of devices: those that Foreflow knows by name, those that users write, and changes of single numbers.
//
//   "device": "H200-SXM5-141GB"                                    a row of `foreflow list devices`
//   "device": "my_chip.json"                                       a file that holds a data sheet
//   "device": {"name": "H200-SXM5-141GB", "memory": "192GB"}       other numbers than the sheet or the machine has
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foreflow/base/json.h"
#include "foreflow/base/key.h"
#include "foreflow/base/registry.h"
#include "foreflow/platform/platform.h"

namespace foreflow::platform {

// The data of a device as its maker states them. Numbers are dense peaks and capacities, not rates that programs reach.
struct DataSheet {
  std::string kind;                  // what cost tables know the device by: "H200-SXM5-141GB"
  std::vector<std::string> sources;  // where each number is from; one line of a platform file's comment for each
  Bytes memory;
  BytesPerSecond memory_bandwidth;
  Seconds launch;                                             // of a kernel
  std::vector<std::pair<std::string, FlopsPerSecond>> peaks;  // by data type, dense; the first is "f32"
  int nvlink_generation                   = 0;                // 0: without NVLink
  bool operator==(const DataSheet&) const = default;
};

struct DeviceDef {
  std::string name;  // DataSheet::kind
  std::string doc;   // the numbers in words
  DataSheet sheet;
};

// The data sheets that have a name.
const Registry<DeviceDef>& devices();

// Changes that a scenario makes to the devices of a machine. A member that is absent leaves the machine's own value.
struct DeviceChange {
  std::optional<DataSheet> sheet                 = {};  // of another device
  std::string name                               = {};  // for cost tables and reports; empty: see changed()
  std::optional<Bytes> memory                    = {};
  std::optional<BytesPerSecond> memory_bandwidth = {};
  std::optional<Seconds> launch                  = {};
  std::map<std::string, FlopsPerSecond> peaks    = {};  // by data type
  std::optional<int> nvlink_generation           = {};
  std::optional<Cpu> cpu                         = {};  // of the host
  bool operator==(const DeviceChange&) const     = default;

  bool empty() const { return *this == DeviceChange{}; }
};

// The keys of "device" where it is an object, which are also those of a file with a data sheet.
const Keys& device_keys();
// A name, a file, or an object with these keys.
ValueType device_type();

// Reads the value of "device". A file is found from the folder of json.file(). Throws Error at an unknown name with the
// nearest one, at an unknown key, at a number out of range, and where a file cannot be read or is no data sheet.
DeviceChange read_device(const JsonView& json);

// Reads a data sheet from a file: `name`, `memory`, `memory_bandwidth` and `peak_f32` are required. Throws Error.
DataSheet read_data_sheet(const JsonView& json);

// The device with its changes. One that is changed in what sets the time of ops and is given no name is called
// "NAME (changed)", so that no cost table takes it for the device that was measured.
DataSheet changed(const DeviceChange& change, DataSheet sheet);
Device changed(const DeviceChange& change, Device device);

// The device that was changed: "NAME" of "NAME (changed)"; other names are returned as they are.
std::string_view unchanged_kind(std::string_view kind);

// Returns true if drivers may call the device of the data sheet `name` by the name `model` ("NVIDIA H100 80GB HBM3" of
// "H100-SXM5-80GB"): its family is in it, and so is its form if the model has one. Memory does not count.
bool may_be_called(std::string_view name, std::string_view model);

// A data sheet as a device without name and place.
Device device_of(const DataSheet& sheet);

// The platform with all its devices changed. Links, routes, names and places stay.
Platform with_devices(const Platform& platform, const DeviceChange& change);

}  // namespace foreflow::platform
