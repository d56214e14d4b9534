// Every device that a program uses, whether its entry function sees it or only a function that it calls.
#pragma once

#include <map>
#include <set>

#include "foreflow/interpret/mixed.h"

namespace foreflow::lower {

class Devices {
 public:
  explicit Devices(const interpret::MixedInterpretation& interpretation) : interpretation_(interpretation) {}

  // Of an instance and of what it calls, as the instance calls them; with the device that is none where a value of its
  // own is on none.
  const std::set<ir::Device>& of(int32_t instance);

 private:
  const interpret::MixedInterpretation& interpretation_;
  std::map<int32_t, std::set<ir::Device>> known_;
};

}  // namespace foreflow::lower
