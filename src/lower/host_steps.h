// The steps of hosts, and of the streams of one device, around its work: copies to and from host memory, messages that
// are prepared there, and streams that wait for each other.
#pragma once

#include "foreflow/cost/cost.h"
#include "lower/buffers.h"
#include "lower/issuer.h"
#include "lower/op_values.h"

namespace foreflow::lower {

class HostSteps {
 public:
  // `staged`: how devices receive messages; null: into memory that they have. Keeps references.
  HostSteps(const ir::Function& function, const OpValues& values, Buffers& buffers, const Issuer& issuer,
            const cost::StagedReceive* staged, FragmentSteps& steps)
      : function_(function), values_(values), buffers_(buffers), issuer_(issuer), staged_(staged), steps_(steps) {}

  // Returns true if the op is a copy to or from host memory.
  bool is_copy(const ir::Op& op) const;
  // Such a copy runs on a stream of its own. It begins when the stream that asked for it reaches it; a copy from the
  // host also waits for the earlier copies to the host.
  void copy(const ir::Op& op, size_t o);

  // Adds the work of the host of `device` before the device receives `bytes` of the op (cost::StagedReceive).
  void receive(const ir::Op& op, const ir::Device& device, Bytes bytes);
  // The host waits for the device after the op if it reads its result.
  void read_back(const ir::Op& op, const ir::Device& device);

 private:
  void hand_over(const ir::Device& from, const ir::Device& to);
  void work(std::string_view name, const ir::Device& host, Bytes bytes, Seconds time);

  const ir::Function& function_;
  const OpValues& values_;
  Buffers& buffers_;
  const Issuer& issuer_;
  const cost::StagedReceive* staged_;
  FragmentSteps& steps_;
};

}  // namespace foreflow::lower
