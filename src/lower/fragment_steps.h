// The steps of one fragment as they are written. What a device computes gathers in one step, which ends when something
// else needs the device:
//
//   MatMul on D1, Relu on D1, Send from D1 to D2, MatMul on D2
//   -> compute of D1 in two parts, meeting of D1 and D2, compute of D2
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "foreflow/stream/compact.h"
#include "lower/event_tables.h"
#include "lower/recorder.h"

namespace foreflow::lower {

// The computes of a device in a step that has not ended.
struct OpenCompute {
  stream::Compute event;
  std::array<Seconds, cost::kProvenances> shares{};  // of its duration
  Bytes level, peak;                                 // of memory, less what was there when the step began
  Recorder::Log log;
  ir::ValueId last = ir::ValueId::none;  // result of the last kernel if another may be joined to it (lower/kernels.h)

  void raise_peak(Bytes reached) { peak = std::max(peak, reached); }
};

// The part of one stream in a meeting.
struct MeetingPart {
  ir::Device device;
  stream::MemoryEffect memory;
  Recorder::Log log;
};

class FragmentSteps {
 public:
  // `name`: that of the function, for steps of several ops. Keeps references.
  FragmentSteps(EventTables& tables, Recorder& recorder, const std::string& name)
      : tables_(tables), recorder_(recorder), name_(name) {}

  // The compute that is open on the device; a new one if none is.
  OpenCompute& open(const ir::Device& device) { return open_[device]; }
  // Ends the open compute of the device, if there is one. By value: the caller may refer to the entry that is erased.
  void close(ir::Device device);
  void close_all();

  // A communication of several streams, each with a part, after what they compute before.
  void meet(const stream::Communication& what, std::span<const MeetingPart> parts) {
    meet(tables_.number_of(what), parts, false);
  }
  // The same for the entry `communication` of the tables. With `of_all_replicas` the streams of all replicas take part.
  void meet(int32_t communication, std::span<const MeetingPart> parts, bool of_all_replicas);
  // `to` waits until `from` has computed what it began before. The open compute of `to` stays open.
  void hand_over(const stream::Communication& what, const ir::Device& from, const ir::Device& to);
  // A communication of one stream moves nothing, but its result takes memory.
  void account_alone(const MeetingPart& part);
  // The op calls a fragment, whose devices `map` renames.
  void call(int32_t fragment, const interpret::DeviceMap& map, const ir::Op& op);

  size_t calls() const { return procedure_.calls.size(); }
  // Ends all steps.
  stream::CompactProgram::Procedure take();

 private:
  using Kind = stream::CompactProgram::Step::Kind;

  // Into the lanes of the procedure.
  int32_t lane(const ir::Device& device);
  // A meeting of as many members as were added last.
  void add_meeting(int32_t communication, size_t members, bool of_all_replicas);

  EventTables& tables_;
  Recorder& recorder_;
  const std::string& name_;
  stream::CompactProgram::Procedure procedure_;
  std::map<ir::Device, OpenCompute> open_;
  std::map<ir::Device, int32_t> lanes_;  // of procedure_
};

}  // namespace foreflow::lower
