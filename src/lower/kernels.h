// Which ops run as one kernel with the op before them: an element-wise op or a norm (foreflow/lower/pointwise.h) that
// reads what such an op has just made on the same device. It stays on the chip; its memory is accounted for as before.
#pragma once

#include "foreflow/cost/cost.h"
#include "foreflow/interpret/mixed.h"
#include "lower/liveness.h"

namespace foreflow::lower {

class Kernels {
 public:
  Kernels(bool on, const ir::Function& function, const interpret::Instance<interpret::Mixed>& instance,
          const Liveness& live)
      : on_(on), function_(function), instance_(instance), live_(live) {}

  // Sets Application::kept and joined of op `o`, which does `work` after the kernel whose result is `last`; none: after
  // one to which no other can be joined. Returns what the next op comes after.
  ir::ValueId place(size_t o, const ir::Work& work, ir::ValueId last, cost::Application& application) const;

 private:
  // The operand of op `o` that is the result of the kernel that ended last, if it has the size of the result.
  ir::ValueId passed_on(const ir::Op& op, ir::ValueId last) const;
  bool dies(size_t o, ir::ValueId value) const;

  const bool on_;
  const ir::Function& function_;
  const interpret::Instance<interpret::Mixed>& instance_;
  const Liveness& live_;
};

}  // namespace foreflow::lower
