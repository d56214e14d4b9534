// The device domain: on which device every value lives, and on which devices every op runs. It knows neither shapes nor
// data types.
#pragma once

#include <set>
#include <span>
#include <vector>

#include "foreflow/interpret/interpreter.h"
#include "foreflow/ir/type.h"

namespace foreflow::interpret {

// The device on which a value lives. A tuple lives where its elements live, so its own `device` is not placed.
struct Location {
  ir::Device device;               // not placed: on no device; every device may compute the value for itself
  std::vector<Location> elements;  // of a tuple, as far as its structure is known

  bool operator==(const Location&) const = default;
};

Location location_of(const ir::Type& type);
// The devices on which the value or a part of it lives; empty if it lives on none.
std::set<ir::Device> devices_of(const Location& location);

// The device rules of ops:
//
//   not a communication         the operands live on one device or on none; the results live there, too
//   communication with `to`     one result on each device that `to` names
//   communication without `to`  one result on the device of each operand; the devices are distinct
//
// An error names the op, its operands and their devices, and what would be right.
struct DeviceDomain {
  using Value                     = Location;
  static constexpr bool kMemoised = true;
  const ir::Module& module;  // for the names in errors

  std::vector<Location> apply(const ir::Op& op, std::span<const Location> inputs) const;
  Location absent() const { return {}; }
  Location refine(Location location, const ir::Type& annotation) const;
  template <class F>
  void visit_devices(Location& location, F f) const {
    f(location.device);
    for (Location& element : location.elements) visit_devices(element, f);
  }
  void append_key(const Location& location, std::string& key) const;
};

using Locations = Interpretation<Location>;

// Interprets function `entry` with its parameters at `arguments`, or where their annotations say if there are none.
Locations locate(const ir::Module& module, size_t entry, const std::vector<Location>& arguments = {});

// The devices of the operands and results of `op`; empty if it runs on no device.
std::set<ir::Device> devices_of(const ir::Function& function, const ir::Op& op, const Instance<Location>& instance);

// All devices of the program, including those inside calls.
std::set<ir::Device> devices_of(const Locations& locations);

// The type of a value of an instance, on its caller's devices. An empty map is the identity.
ir::Type renamed(ir::Type type, const DeviceMap& map);

// The map from the devices of an instance to those of its caller's caller. An empty map is the identity.
DeviceMap composed(DeviceMap inner, const DeviceMap& outer);

}  // namespace foreflow::interpret
