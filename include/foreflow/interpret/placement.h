// The placement domain: on which device every value lives and on which devices every op runs. Devices and tuples of
// devices only; no shapes, no data types.
#pragma once

#include <set>
#include <span>
#include <vector>

#include "foreflow/interpret/interpreter.h"
#include "foreflow/ir/type.h"

namespace foreflow::interpret {

// Where a value lives. A tuple lives where its elements live; `device` of it is not placed.
struct Place {
  ir::Device device;            // not placed: on no device, so that every device may compute it for itself
  std::vector<Place> elements;  // of a tuple, as far as its structure is known

  bool operator==(const Place&) const = default;
};

Place place_of(const ir::Type& type);
// Every device on which the value or a part of it lives; empty: on none.
std::set<ir::Device> devices_of(const Place& place);

// Device rules:
//   an op that does not communicate   operands on one device or on none; the results live there
//   communication with `to`           one result on each device that `to` names
//   communication without `to`        one result on the device of each operand; no device twice
// Errors name the op, its operands and their devices, and say what would be right.
struct PlacementDomain {
  using Value                     = Place;
  static constexpr bool kMemoised = true;
  const ir::Module& module;  // for the names in errors

  std::vector<Place> apply(const ir::Op& op, std::span<const Place> inputs) const;
  Place absent() const { return {}; }
  Place refine(Place place, const ir::Type& annotation) const;
  template <class F>
  void visit_devices(Place& place, F f) const {
    f(place.device);
    for (Place& element : place.elements) visit_devices(element, f);
  }
  void append_key(const Place& place, std::string& key) const;
};

using Placement = Interpretation<Place>;

// Interprets function `entry` with its parameters where their annotations say, or at `arguments` where they are given.
Placement place(const ir::Module& module, size_t entry, const std::vector<Place>& arguments = {});

// The devices that take part in `op`: those of its operands and its results. Empty: on no device.
std::set<ir::Device> devices_of(const ir::Function& function, const ir::Op& op, const Instance<Place>& instance);

// Every device of the program: those of all values, in calls too.
std::set<ir::Device> devices_of(const Placement& placement);

// A device of an instance as its caller's caller names it; `outer` or `inner` is empty where devices are real already.
DeviceMap composed(DeviceMap inner, const DeviceMap& outer);

}  // namespace foreflow::interpret
