// All devices that a program uses, in its entry function or in a callee.
#pragma once

#include <map>
#include <set>

#include "foreflow/interpret/mixed.h"

namespace foreflow::lower {

class Devices {
 public:
  explicit Devices(const interpret::MixedInterpretation& interpretation) : interpretation_(interpretation) {}

  // The devices of an instance and its callees, by the numbers of the instance. They include the unplaced device if a
  // value of the instance is on no device.
  const std::set<ir::Device>& of(int32_t instance);

 private:
  const interpret::MixedInterpretation& interpretation_;
  std::map<int32_t, std::set<ir::Device>> known_;
};

}  // namespace foreflow::lower
