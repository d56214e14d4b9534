#include "lower/shards.h"

#include <utility>

#include "foreflow/base/nth.h"

namespace foreflow::lower {
namespace {

using stream::CompactProgram;
using Procedure = CompactProgram::Procedure;

class ShardWriter {
 public:
  ShardWriter(const CompactProgram& two, int32_t shards) : two_(two), shards_(shards) {}

  std::optional<CompactProgram> run() {
    if (two_.first_device != 1) return {};
    CompactProgram all = two_;
    for (auto& renaming : all.renamings) renaming = renamed(renaming);
    for (Procedure& procedure : all.procedures) procedure = written(procedure);
    all.devices.clear();
    for (const CompactProgram::Device& device : two_.devices) {
      for (int32_t copy = 0; copy < copies(device.index); ++copy)
        all.devices.push_back({first(device.index) + copy, device.initial});
    }
    add_streams(all.streams);
    return fits_ ? std::optional(std::move(all)) : std::nullopt;
  }

 private:
  // A value on no device counts as one on the first shard.
  bool is_first(int32_t device) const { return device == CompactProgram::kNoDevice || (device - 1) % 2 == 0; }
  int32_t copies(int32_t device) const { return is_first(device) ? 1 : shards_ - 1; }
  // The first of the devices that `device` stands for.
  int32_t first(int32_t device) const {
    return device == CompactProgram::kNoDevice ? device : (device - 1) / 2 * shards_ + (device - 1) % 2 + 1;
  }

  std::vector<int32_t> renamed(const std::vector<int32_t>& renaming) {
    std::vector<int32_t> all;
    for (size_t i = 0; i < renaming.size(); ++i) {
      const auto inside = static_cast<int32_t>(i) + 1;
      fits_             = fits_ && is_first(inside) == is_first(renaming[i]);
      for (int32_t copy = 0; copy < copies(renaming[i]); ++copy) all.push_back(first(renaming[i]) + copy);
    }
    return all;
  }

  // The streams of a device stand together.
  void add_streams(std::vector<CompactProgram::Lane>& all) const {
    all.clear();
    for (auto begin = two_.streams.begin(); begin != two_.streams.end();) {
      auto end = begin;
      while (end != two_.streams.end() && end->device == begin->device) ++end;
      for (int32_t copy = 0; copy < copies(begin->device); ++copy) {
        for (auto lane = begin; lane != end; ++lane) all.push_back({first(lane->device) + copy, lane->stream});
      }
      begin = end;
    }
  }

  Procedure written(const Procedure& procedure) {
    Procedure all;
    all.calls = procedure.calls;
    lanes_.clear();
    for (const CompactProgram::Lane& lane : procedure.lanes) {
      lanes_.push_back({static_cast<int32_t>(all.lanes.size()), copies(lane.device)});
      for (int32_t copy = 0; copy < copies(lane.device); ++copy)
        all.lanes.push_back({first(lane.device) + copy, lane.stream});
    }
    for (const CompactProgram::Step& step : procedure.steps) {
      const auto index = static_cast<size_t>(step.index);
      switch (step.kind) {
        case CompactProgram::Step::Kind::compute: compute(procedure.computes[index], all); break;
        case CompactProgram::Step::Kind::meeting: meeting(procedure, procedure.meetings[index], all); break;
        case CompactProgram::Step::Kind::call: all.steps.push_back(step);
      }
    }
    return all;
  }

  void compute(const CompactProgram::ComputeStep& step, Procedure& all) const {
    const auto& [lane, copies] = nth(lanes_, step.lane);
    for (int32_t copy = 0; copy < copies; ++copy) {
      all.steps.push_back({CompactProgram::Step::Kind::compute, static_cast<int32_t>(all.computes.size())});
      all.computes.push_back({lane + copy, step.event, step.memory});
    }
  }

  // A meeting of all shards of one group or of several, or of corresponding devices of every shard.
  void meeting(const Procedure& procedure, const CompactProgram::MeetingStep& step, Procedure& all) {
    const auto members = procedure.of(step);
    const auto count   = [&](const CompactProgram::Member& member) { return nth(lanes_, member.lane).copies; };
    const bool joined  = members.size() > 1 && count(members[0]) == 1 && count(members[1]) > 1;
    if (joined) {
      fits_ = fits_ && are_pairs(procedure, members);
      open(step, all);
      for (const auto& member : members) {
        for (int32_t copy = 0; copy < count(member); ++copy) join(member, copy, all);
      }
      all.meetings.back().last = static_cast<uint32_t>(all.members.size());
      return;
    }
    for (const auto& member : members) fits_ = fits_ && count(member) == count(members[0]);
    for (int32_t copy = 0; copy < count(members[0]) && fits_; ++copy) {
      open(step, all);
      for (const auto& member : members) join(member, copy, all);
      all.meetings.back().last = static_cast<uint32_t>(all.members.size());
    }
  }

  // Two shards of each stage in a collective.
  bool are_pairs(const Procedure& procedure, std::span<const CompactProgram::Member> members) const {
    if (members.size() % 2 != 0) return false;
    for (size_t i = 0; i < members.size(); i += 2) {
      const auto& [device, stream] = nth(procedure.lanes, members[i].lane);
      const auto& other            = nth(procedure.lanes, members[i + 1].lane);
      if (!is_first(device) || other.device != device + 1 || other.stream != stream) return false;
    }
    return true;
  }

  static void open(const CompactProgram::MeetingStep& step, Procedure& all) {
    const auto here = static_cast<uint32_t>(all.members.size());
    all.steps.push_back({CompactProgram::Step::Kind::meeting, static_cast<int32_t>(all.meetings.size())});
    all.meetings.push_back({step.communication, here, here, step.of_all_replicas});
  }

  void join(const CompactProgram::Member& member, int32_t copy, Procedure& all) const {
    all.members.push_back({nth(lanes_, member.lane).first + copy, member.memory});
  }

  struct Lanes {
    int32_t first, copies;
  };

  const CompactProgram& two_;
  const int32_t shards_;
  bool fits_ = true;          // every renaming and every meeting is one of shards in pairs
  std::vector<Lanes> lanes_;  // of the procedure at hand: those that stand for each of its lanes
};

}  // namespace

std::optional<CompactProgram> all_shards(const CompactProgram& two, int32_t shards) {
  return ShardWriter(two, shards).run();
}

}  // namespace foreflow::lower
