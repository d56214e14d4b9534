// The parts of a function that may concern each device, so that the work for one does not grow with the number of
// others.
#pragma once

#include <set>
#include <unordered_map>
#include <vector>

#include "foreflow/interpret/devices.h"
#include "foreflow/interpret/mixed.h"

namespace foreflow::lower {

// Positions in a list, ascending, by device.
class PositionsByDevice {
 public:
  void add(size_t position, const std::set<int32_t>& devices);
  void add_everywhere(size_t position);
  std::vector<size_t> of(int32_t device) const;

 private:
  std::vector<size_t> everywhere_;
  std::unordered_map<int32_t, std::vector<size_t>> by_device_;
};

// Positions of the parameters, results and ops of an instance: all that are on a device, call a function that uses it,
// or are on no device, and perhaps some more. A device that is not placed may be any, so all concern it.
class Concerned {
 public:
  Concerned(const ir::Function& function, const interpret::Instance<interpret::Mixed>& instance,
            const interpret::Instance<interpret::Location>& locations);
  std::vector<size_t> parameters(const ir::Device& device) const;
  std::vector<size_t> results(const ir::Device& device) const;
  std::vector<size_t> ops(const ir::Device& device) const;

 private:
  void add_op(size_t o, const interpret::Instance<interpret::Mixed>& instance);
  void add(size_t position, const std::vector<ir::ValueId>& values, std::set<int32_t> devices, PositionsByDevice& to);

  const ir::Function& function_;
  const interpret::Instance<interpret::Location>& locations_;
  PositionsByDevice parameters_, results_, ops_;
};

}  // namespace foreflow::lower
