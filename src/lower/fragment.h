// A function lowered once per signature and boundary: per-device work in program order, on the instance's own device
// numbers.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "foreflow/lower/reshard_op.h"
#include "foreflow/stream/compact.h"
#include "lower/event_tables.h"
#include "lower/recorder.h"

namespace foreflow::lower {

using Fragment = stream::CompactProgram::Procedure;

// The kind of hardware behind each device number of an instance (index: the number); equal kinds share prices. -1: no
// device has the number. The first number that a device has is home to what is on no device.
using Kinds = std::vector<int32_t>;

// Makes fragments, and the tables that they share.
class FragmentMaker {
 public:
  // Keeps references. `hardware`: by kind.
  FragmentMaker(const ir::Module& module, const interpret::MixedInterpretation& interpretation,
                const cost::CostModel& cost, std::vector<const platform::Device*> hardware, const ProgramPlaces& places,
                const Options& options);

  // The number of the fragment for this instance and boundary on devices of these kinds (an index into `hardware`).
  int32_t fragment(int32_t instance, const Boundary& boundary, const Kinds& kinds);

  std::vector<Fragment> fragments;
  EventTables tables;
  stream::Storage& storage() { return ledger_.storage; }  // procedures are numbered as the fragments
  stream::MemoryClass class_of(size_t function, size_t value) const { return ledger_.class_of(function, value).kind; }
  int32_t buffer(const std::string& name, stream::MemoryClass kind, Bytes size) {
    return ledger_.buffer(name, kind, size);
  }

 private:
  friend class FragmentWriter;
  // backward_values of a function; empty: no cost depends on them.
  const std::vector<bool>& backward_of(size_t function) const;
  // Null: messages are not staged, or there are none.
  const cost::StagedReceive* staged_receive() const;

  const ir::Module& module_;
  const interpret::MixedInterpretation& interpretation_;
  const cost::CostModel& cost_;
  std::vector<const platform::Device*> hardware_;  // by kind
  const ProgramPlaces places_;
  const Options& options_;
  Ledger ledger_;
  std::vector<std::vector<bool>> backward_;
  bool has_messages_ = false;
  std::map<std::tuple<int32_t, Boundary, Kinds>, int32_t> made_;
};

}  // namespace foreflow::lower
