// Which ops run as one kernel with the op before them: an element-wise op or a norm (foreflow/lower/pointwise.h) that
// reads what such an op has just made on the same device. It stays on the chip; its memory is accounted for as before.
#pragma once

#include <map>

#include "foreflow/cost/cost.h"
#include "foreflow/interpret/mixed.h"
#include "lower/liveness.h"

namespace foreflow::lower {

class Kernels {
 public:
  Kernels(bool on, const ir::Function& function, const interpret::Instance<interpret::Mixed>& instance,
          const Liveness& live)
      : on_(on), function_(function), instance_(instance), live_(live) {}

  // Sets Application::kept and joined of op `o`, which runs next on `device` and does `work`.
  void place(size_t o, const ir::Device& device, const ir::Work& work, cost::Application& application);
  // Something else runs on the device.
  void end(const ir::Device& device) { last_.erase(device); }

 private:
  // The operand of op `o` that is the result of the kernel that ended last, if it has the size of the result.
  ir::ValueId passed_on(const ir::Op& op, ir::ValueId last) const;
  bool dies(size_t o, ir::ValueId value) const;

  const bool on_;
  const ir::Function& function_;
  const interpret::Instance<interpret::Mixed>& instance_;
  const Liveness& live_;
  std::map<ir::Device, ir::ValueId> last_;  // the result of the kernel that another could be joined to
};

}  // namespace foreflow::lower
