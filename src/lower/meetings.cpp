#include "lower/meetings.h"

#include <algorithm>

namespace foreflow::lower {
namespace {

// The devices of `members`, each once, in their order.
std::vector<ir::Device> placed(const std::vector<ir::Device>& members, const Home& home) {
  const auto is_placed = [](const ir::Device& member) { return member.placed(); };
  if (std::all_of(members.begin(), members.end(), is_placed)) return members;
  std::vector<ir::Device> devices;
  for (const ir::Device& member : members) {
    const ir::Device device = home.of(member);
    if (std::find(devices.begin(), devices.end(), device) == devices.end()) devices.push_back(device);
  }
  return devices;
}

}  // namespace

const KnownMeetings::Known& KnownMeetings::of(const ir::Op& op) {
  const uint32_t number = meeting_numbers_.number(values_.words(op));
  if (number < meetings_.size()) return meetings_[number];
  const std::vector<ir::Type> inputs = values_.input_types(op);
  values_.check_resolved(op, inputs);
  GroupCommunication made = communication_of(op, inputs, values_.output_types(op), cost_, options_);
  made.members            = placed(made.members, home_);
  made.what.issue         = issuer_.of(made.what.kind, made.members);
  const bool alone        = made.members.size() == 1 && made.replicas == 1;
  meetings_.push_back({std::move(made.members), alone ? -1 : tables_.number_of(made.what), made.replicas > 1});
  return meetings_.back();
}

const std::vector<ReshardMeeting>& KnownMeetings::of_reshard(const ir::Op& op) {
  const uint32_t number = reshard_numbers_.number(values_.words(op));
  if (number < reshards_.size()) return reshards_[number];
  const std::vector<ir::Type> inputs = values_.input_types(op), outputs = values_.output_types(op);
  values_.check_resolved(op, inputs);
  reshards_.push_back(reshard_meetings(op, inputs, outputs, cost_, places_, options_));
  return reshards_.back();
}

void MeetingWriter::meet(const ir::Op& op, size_t o) {
  const KnownMeetings::Known& meeting    = known_.of(op);
  const std::vector<ir::Device>& members = meeting.members;
  if (members.size() == 2 && !members[0].same_gpu(members[1]))
    host_.receive(op, members[1], ir::bytes_of(values_.type(function_.output(op, 0))));
  LastUses last_uses(buffers_, o);
  if (parts_.size() < members.size()) parts_.resize(members.size());
  for (size_t i = 0; i < members.size(); ++i) {
    MeetingPart& part = parts_[i];
    part.device       = members[i];
    part.log.clear();
    const Bytes made = buffers_.make_results(op, part.device, part.log);
    part.memory      = {made, made - last_uses.free_for(part.device, part.log)};
  }
  last_uses.free_rest();
  if (meeting.communication < 0) return steps_.account_alone(parts_.front());
  steps_.meet(meeting.communication, {parts_.data(), members.size()}, meeting.of_all_replicas);
}

void MeetingWriter::reshard(const ir::Op& op, size_t o) {
  const std::vector<ReshardMeeting>& meetings = known_.of_reshard(op);
  const std::vector<ir::Device> devices       = devices_of(op);
  std::vector<int> left(devices.size());
  for (const ReshardMeeting& meeting : meetings) {
    for (const size_t member : meeting.members) ++left[member];
  }
  std::vector<bool> began(devices.size());
  LastUses last_uses(buffers_, o);
  for (const ReshardMeeting& meeting : meetings) {
    std::vector<MeetingPart> parts;
    std::vector<ir::Device> members;
    for (const size_t member : meeting.members) {
      members.push_back(devices[member]);
      MeetingPart& part = parts.emplace_back(MeetingPart{devices[member], {}, {}});
      const Bytes made  = began[member] ? Bytes(0) : buffers_.make_results(op, part.device, part.log);
      began[member]     = true;
      const Bytes gone  = --left[member] == 0 ? last_uses.free_for(part.device, part.log) : Bytes(0);
      part.memory       = {made, made - gone};
    }
    stream::Communication what = meeting.what;
    // The host does not issue a wait for a port, which is how the plan keeps its order.
    if (what.bytes > Bytes(0)) what.issue = issuer_.of(what.kind, members);
    steps_.meet(what, parts);
  }
  last_uses.free_rest();
}

std::vector<ir::Device> MeetingWriter::devices_of(const ir::Op& op) const {
  std::vector<ir::Device> devices;
  for (const ir::ValueId id : function_.inputs(op)) devices.push_back(ir::device_of(values_.type(id)));
  for (uint32_t i = 0; i < op.result_count; ++i)
    devices.push_back(ir::device_of(values_.type(function_.output(op, i))));
  return devices;
}

}  // namespace foreflow::lower
