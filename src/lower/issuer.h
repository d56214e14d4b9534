// The host's part in one fragment: what it costs to issue each kernel and each communication on the main stream of a
// device. What other streams do is issued by the hand-over that starts it.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "foreflow/ir/module.h"
#include "foreflow/lower/host_costs.h"
#include "foreflow/stream/program.h"

namespace foreflow::lower {

class Issuer {
 public:
  // The kind of a fragment.
  enum class Fragment : uint8_t {
    pass,   // of a stage over a microbatch, forward or backward (ir/pipeline_ends.h)
    whole,  // one microbatch, which is not cut: of a program, or of one replica in a function of its own
    caller  // a function with calls: of a program, or of one replica
  };
  // The time that the host of a device takes, as a multiple of `costs` (platform::time_ratio).
  using Pace = std::function<double(const ir::Device& device)>;
  // `backward`: per value of the function, whether it depends on the gradient of the loss; empty where it is not
  // needed.
  Issuer(const HostCosts& costs, Pace pace, Fragment fragment, const ir::Function& function,
         const std::vector<bool>& backward);

  // The next op of the fragment. For each op before `add`, and for those of which nothing is issued.
  void reach(const ir::Op& op);
  // Returns true if the op begins a compute of its own: before the optimizer the host may wait, and the host prepares a
  // call or a microbatch while the device has nothing to do, which is no time of a compute.
  bool begins_anew(const ir::Op& op, const ir::Device& device) const;
  // Adds the kernels of an op, which take `time` together, to the compute that runs on `device`. 0: it lengthens the
  // last one.
  void add(const ir::Op& op, const ir::Device& device, int kernels, Seconds time, stream::Issue& issue);
  // The issue of a communication among `members`. It takes as long as the slowest of their hosts needs.
  stream::Issue of(collective::Kind kind, const std::vector<ir::Device>& members) const;

 private:
  // The work that a device issues before its next kernel, or has issued: calls, and quarters of a microbatch.
  struct Work {
    int calls = 0, quarters = 0;
  };
  struct Seen {
    Work issued;
    bool update = false;
  };

  // The time that the host of the device prepares before its next kernel, which has been reached but not issued.
  Seconds preparation(const Work& issued, const ir::Device& device) const;
  // The op adds to what an earlier microbatch left: a parameter comes back as a result with something added, or the
  // caller adds what passes returned.
  bool accumulates(const ir::Op& op) const;
  Seconds each_kernel(const ir::Op& op) const;

  const HostCosts& costs_;
  const Pace pace_;
  const bool on_;
  const Fragment fragment_;
  const ir::Function& function_;
  const std::vector<bool>& backward_;
  std::vector<bool> is_result_;  // by value
  Work reached_;
  std::map<ir::Device, Seen> seen_;
};

}  // namespace foreflow::lower
