// The host's part in one fragment: what it costs to issue each kernel and each communication on the main stream of a
// device. What other streams do is issued by the hand-over that starts it.
#pragma once

#include <map>
#include <vector>

#include "foreflow/ir/module.h"
#include "foreflow/lower/host_costs.h"
#include "foreflow/stream/program.h"

namespace foreflow::lower {

class Issuer {
 public:
  explicit Issuer(const HostCosts& costs) : costs_(costs), on_(costs.any()) {}

  // The optimizer has a compute of its own, before which the host may wait.
  bool begins_anew(const ir::Op& op, const ir::Device& device);
  // Adds the kernels of an op, which take `time` together, to the compute that runs on `device`. 0: it lengthens the
  // last one.
  void add(const ir::Op& op, const ir::Device& device, int kernels, Seconds time, stream::Issue& issue);
  // That of a communication among `members`.
  stream::Issue of(collective::Kind kind, const std::vector<ir::Device>& members) const;

 private:
  struct Seen {
    bool anything = false, embedding = false, loss = false, update = false;
  };
  // The parts of a microbatch's cost that the host spends before this op.
  Seconds of_microbatch(const ir::Op& op, Seen& seen) const;

  const HostCosts& costs_;
  const bool on_;
  std::map<ir::Device, Seen> seen_;
};

}  // namespace foreflow::lower
