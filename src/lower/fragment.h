// A function lowered once per signature and boundary: per-device work in program order, on the instance's own device
// numbers.
#pragma once

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "foreflow/lower/communication.h"
#include "foreflow/lower/reshard_op.h"
#include "foreflow/stream/compact.h"
#include "lower/backward_values.h"
#include "lower/recorder.h"

namespace foreflow::lower {

using Fragment    = stream::CompactProgram::Procedure;
using ComputeStep = stream::CompactProgram::ComputeStep;
using Member      = stream::CompactProgram::Member;
using MeetingStep = stream::CompactProgram::MeetingStep;
using CallStep    = stream::CompactProgram::CallStep;
using Step        = stream::CompactProgram::Step;

// The kind of hardware behind each device number of an instance (index: the number); equal kinds share prices.
using Kinds = std::vector<int32_t>;

// Makes fragments, and the tables of distinct events that they share.
class FragmentMaker {
 public:
  FragmentMaker(const ir::Module& module, const interpret::MixedInterpretation& interpretation,
                const cost::CostModel& cost, std::vector<const platform::Device*> hardware, const ProgramPlaces& places,
                const Options& options)
      : module_(module),
        interpretation_(interpretation),
        cost_(cost),
        hardware_(std::move(hardware)),
        places_(places),
        options_(options),
        ledger_(module, options.storage) {
    if (options.host.gradient != options.host.kernel) backward_ = backward_values(module);
    stages_ = cost.staged_receive && std::any_of(module.functions.begin(), module.functions.end(), [](const auto& one) {
                return std::any_of(one.ops.begin(), one.ops.end(), is_send);
              });
  }

  // The number of the fragment for this instance and boundary on devices of these kinds (an index into `hardware`).
  int32_t fragment(int32_t instance, const Boundary& boundary, const Kinds& kinds);

  std::vector<Fragment> fragments;
  std::vector<stream::Compute> computes;
  std::vector<std::array<Seconds, cost::kProvenances>> provenance;  // per compute
  std::vector<stream::Communication> communications;
  std::vector<stream::MemoryEffect> memory_effects;
  std::vector<std::vector<int32_t>> renamings;            // of devices, by calls
  stream::Storage& storage() { return ledger_.storage; }  // procedures are numbered as the fragments
  stream::MemoryClass class_of(size_t function, size_t value) const { return ledger_.class_of(function, value).kind; }
  int32_t buffer(const std::string& name, stream::MemoryClass kind, Bytes size) {
    return ledger_.buffer(name, kind, size);
  }

 private:
  friend class FragmentWriter;
  static bool is_send(const ir::Op& op) { return !op.is_call() && op.def->communication == ir::Communication::send; }
  // Whether receivers of the op's message prepare it in the memory of their hosts.
  bool stages(const ir::Op& op) const { return stages_ && is_send(op); }
  // Whether hosts that prepare messages wait for the op.
  bool reads_back(const ir::Op& op) const {
    if (!stages_) return false;
    const auto& ops = cost_.staged_receive->reads_back;
    return std::find(ops.begin(), ops.end(), op.def->name) != ops.end();
  }
  // backward_values of a function; empty: no cost depends on them.
  const std::vector<bool>& backward_of(size_t function) const;
  int32_t intern(stream::Compute compute, const std::array<Seconds, cost::kProvenances>& shares);
  int32_t intern(const stream::Communication& communication);
  int32_t intern(const stream::MemoryEffect& effect);
  // The number of a renaming; -1: of the empty one.
  int32_t intern(const interpret::DeviceMap& renaming);

  const ir::Module& module_;
  const interpret::MixedInterpretation& interpretation_;
  const cost::CostModel& cost_;
  std::vector<const platform::Device*> hardware_;  // by kind
  const ProgramPlaces places_;
  const Options& options_;
  Ledger ledger_;
  std::vector<std::vector<bool>> backward_;
  bool stages_ = false;  // the cost model says so, and there are messages
  std::map<std::tuple<int32_t, Boundary, Kinds>, int32_t> made_;
  std::map<std::string, int32_t> compute_index_, communication_index_;
  std::map<std::pair<double, double>, int32_t> memory_index_;
  std::map<std::vector<int32_t>, int32_t> renaming_index_;
};

}  // namespace foreflow::lower
