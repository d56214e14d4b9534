#include "lower/fragment_steps.h"

#include <algorithm>

namespace foreflow::lower {

int32_t FragmentSteps::lane(const ir::Device& device) {
  const auto [found, fresh] = lanes_.emplace(device, static_cast<int32_t>(procedure_.lanes.size()));
  if (fresh)
    procedure_.lanes.push_back(
        {device.placed() ? device.index : stream::CompactProgram::kNoDevice, std::string(device.stream_name())});
  return found->second;
}

void FragmentSteps::close(ir::Device device) {
  const auto found = open_.find(device);
  if (found == open_.end()) return;
  OpenCompute open = std::move(found->second);
  open_.erase(found);
  const bool nothing = open.event.duration == Seconds(0) && open.level == Bytes(0) && open.peak == Bytes(0);
  recorder_.work(device, !nothing, open.log);
  if (nothing) return;
  open.event.name      = open.event.parts.size() == 1 ? open.event.parts[0].name : "@" + name_;
  const int32_t memory = tables_.number_of(stream::MemoryEffect{open.peak, open.level});
  const int32_t event  = tables_.number_of(std::move(open.event), open.shares);
  procedure_.steps.push_back({Kind::compute, static_cast<int32_t>(procedure_.computes.size())});
  procedure_.computes.push_back({lane(device), event, memory});
}

void FragmentSteps::close_all() {
  while (!open_.empty()) close(open_.begin()->first);
}

void FragmentSteps::meet(int32_t communication, std::span<const MeetingPart> parts, bool of_all_replicas) {
  for (const MeetingPart& part : parts) {
    close(part.device);
    procedure_.members.push_back({-1, tables_.number_of(part.memory)});
  }
  auto member = procedure_.members.end() - static_cast<ptrdiff_t>(parts.size());
  for (const MeetingPart& part : parts) {
    member++->lane = lane(part.device);
    recorder_.work(part.device, true, part.log);
  }
  add_meeting(communication, parts.size(), of_all_replicas);
}

void FragmentSteps::hand_over(const stream::Communication& what, const ir::Device& from, const ir::Device& to) {
  close(from);
  for (const ir::Device& device : {from, to}) {
    procedure_.members.push_back({lane(device), tables_.number_of(stream::MemoryEffect{Bytes(0), Bytes(0)})});
    recorder_.work(device, true, {});
  }
  add_meeting(tables_.number_of(what), 2, false);
}

void FragmentSteps::add_meeting(int32_t communication, size_t members, bool of_all_replicas) {
  const auto last = static_cast<uint32_t>(procedure_.members.size());
  procedure_.steps.push_back({Kind::meeting, static_cast<int32_t>(procedure_.meetings.size())});
  procedure_.meetings.push_back({communication, last - static_cast<uint32_t>(members), last, of_all_replicas});
}

void FragmentSteps::account_alone(const MeetingPart& part) {
  close(part.device);
  OpenCompute& open = open_[part.device];
  open.raise_peak(open.level + part.memory.peak);
  open.level += part.memory.net;
  open.log.insert(open.log.end(), part.log.begin(), part.log.end());
}

void FragmentSteps::call(int32_t fragment, const interpret::DeviceMap& map, const ir::Op& op) {
  close_all();
  procedure_.steps.push_back({Kind::call, static_cast<int32_t>(procedure_.calls.size())});
  procedure_.calls.push_back({fragment, tables_.number_of(map)});
  recorder_.call(fragment, map, op);
}

stream::CompactProgram::Procedure FragmentSteps::take() {
  close_all();
  return std::move(procedure_);
}

}  // namespace foreflow::lower
