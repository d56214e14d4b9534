#include "lower/represented.h"

#include <algorithm>
#include <utility>

#include "foreflow/base/nth.h"

namespace foreflow::lower {
namespace {

using stream::CompactProgram;
using Procedure = CompactProgram::Procedure;

// Writes out the groups of devices, shards or ranks, that the second of two groups represents. With two of 3 ranks, of
// two devices each:
//
//   written      D1 D2 (rank 0)   D3 D4 (rank 1)
//   all          D1 D2            D3 D4  D5 D6
class GroupWriter {
 public:
  // Two groups of `size` devices each stand for `groups`.
  GroupWriter(const CompactProgram& two, int32_t groups, int32_t size) : two_(two), groups_(groups), size_(size) {}

  std::optional<CompactProgram> run() {
    if (two_.first_device != 1) return {};
    CompactProgram all = two_;
    for (auto& renaming : all.renamings) renaming = renamed(renaming);
    for (Procedure& procedure : all.procedures) procedure = written(procedure);
    all.devices = copied(
        two_.devices, [](const CompactProgram::Device& device) { return device.index; },
        [](CompactProgram::Device& device, int32_t index) { device.index = index; });
    all.streams = copied(
        two_.streams, [](const CompactProgram::Lane& lane) { return lane.device; },
        [](CompactProgram::Lane& lane, int32_t device) { lane.device = device; });
    return fits_ ? std::optional(std::move(all)) : std::nullopt;
  }

 private:
  int32_t group(int32_t device) const { return (device - 1) / size_; }
  // A value on no device counts as one of the first group.
  bool is_first(int32_t device) const { return device == CompactProgram::kNoDevice || group(device) % 2 == 0; }
  int32_t copies(int32_t device) const { return is_first(device) ? 1 : groups_ - 1; }
  // The device that stands for `device` in a copy of its group.
  int32_t copy_of(int32_t device, int32_t copy) const {
    if (device == CompactProgram::kNoDevice) return device;
    return (group(device) / 2 * groups_ + group(device) % 2 + copy) * size_ + (device - 1) % size_ + 1;
  }

  std::vector<int32_t> renamed(const std::vector<int32_t>& renaming) {
    std::vector<int32_t> all;
    for (size_t i = 0; i < renaming.size(); ++i) {
      const auto inside      = static_cast<int32_t>(i) + 1;
      const int32_t outside  = renaming[i];
      const bool same_member = outside == CompactProgram::kNoDevice || (outside - inside) % size_ == 0;
      fits_                  = fits_ && same_member && is_first(inside) == is_first(outside);
      for (int32_t copy = 0; copy < copies(inside) && fits_; ++copy) {
        const auto at = static_cast<size_t>(copy_of(inside, copy));
        if (all.size() < at) all.resize(at, CompactProgram::kNoDevice);
        all[at - 1] = copy_of(outside, copy);
      }
    }
    return all;
  }

  // Entries of devices, which stand together for each group: once for each copy of the group.
  template <typename T, typename DeviceOf, typename SetDevice>
  std::vector<T> copied(const std::vector<T>& all, DeviceOf device_of, SetDevice set_device) const {
    std::vector<T> result;
    for (auto begin = all.begin(); begin != all.end();) {
      const int32_t first = group(device_of(*begin));
      const auto end = std::find_if(begin, all.end(), [&](const T& one) { return group(device_of(one)) != first; });
      for (int32_t copy = 0; copy < copies(device_of(*begin)); ++copy) {
        for (auto one = begin; one != end; ++one) {
          result.push_back(*one);
          set_device(result.back(), copy_of(device_of(*one), copy));
        }
      }
      begin = end;
    }
    return result;
  }

  Procedure written(const Procedure& procedure) {
    Procedure all;
    all.calls = procedure.calls;
    lanes_.clear();
    for (const CompactProgram::Lane& lane : procedure.lanes) {
      lanes_.push_back({static_cast<int32_t>(all.lanes.size()), copies(lane.device)});
      for (int32_t copy = 0; copy < copies(lane.device); ++copy)
        all.lanes.push_back({copy_of(lane.device, copy), lane.stream});
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

  // A meeting of all groups of one stage or of several, or of members of one group.
  void meeting(const Procedure& procedure, const CompactProgram::MeetingStep& step, Procedure& all) {
    const auto members    = procedure.of(step);
    const auto is_first   = [&](const CompactProgram::Member& member) { return lane_of(member).copies == 1; };
    const auto firsts     = std::count_if(members.begin(), members.end(), is_first);
    const bool all_groups = firsts > 0 && firsts < static_cast<std::ptrdiff_t>(members.size());
    if (all_groups) {
      fits_ = fits_ && are_pairs(procedure, members);
      open(step, all);
      for (auto begin = members.begin(); begin != members.end();) {
        const int32_t own = group_of(procedure, *begin);
        const auto end    = std::find_if(begin, members.end(), [&](const CompactProgram::Member& member) {
          return group_of(procedure, member) != own;
        });
        for (int32_t copy = 0; copy < lane_of(*begin).copies; ++copy) {
          for (auto member = begin; member != end; ++member) join(*member, copy, all);
        }
        begin = end;
      }
      all.meetings.back().last = static_cast<uint32_t>(all.members.size());
      return;
    }
    const int32_t copies = members.empty() ? 1 : lane_of(members.front()).copies;
    for (int32_t copy = 0; copy < copies; ++copy) {
      open(step, all);
      for (const auto& member : members) join(member, copy, all);
      all.meetings.back().last = static_cast<uint32_t>(all.members.size());
    }
  }

  // Every member of a first group has its counterpart in the second one, and none is alone.
  bool are_pairs(const Procedure& procedure, std::span<const CompactProgram::Member> members) const {
    return std::all_of(members.begin(), members.end(), [&](const CompactProgram::Member& member) {
      const auto& [device, stream] = nth(procedure.lanes, member.lane);
      if (device == CompactProgram::kNoDevice) return false;
      const int32_t other = device + (is_first(device) ? size_ : -size_);
      return std::any_of(members.begin(), members.end(), [&, &stream = stream](const CompactProgram::Member& one) {
        const auto& lane = nth(procedure.lanes, one.lane);
        return lane.device == other && lane.stream == stream;
      });
    });
  }

  static void open(const CompactProgram::MeetingStep& step, Procedure& all) {
    const auto here = static_cast<uint32_t>(all.members.size());
    all.steps.push_back({CompactProgram::Step::Kind::meeting, static_cast<int32_t>(all.meetings.size())});
    all.meetings.push_back({step.communication, here, here, step.of_all_replicas});
  }

  void join(const CompactProgram::Member& member, int32_t copy, Procedure& all) const {
    all.members.push_back({lane_of(member).first + copy, member.memory});
  }

  struct Lanes {
    int32_t first, copies;
  };
  const Lanes& lane_of(const CompactProgram::Member& member) const { return nth(lanes_, member.lane); }
  int32_t group_of(const Procedure& procedure, const CompactProgram::Member& member) const {
    return group(nth(procedure.lanes, member.lane).device);
  }

  const CompactProgram& two_;
  const int32_t groups_, size_;
  bool fits_ = true;          // every renaming keeps groups, and every meeting of groups is one of pairs
  std::vector<Lanes> lanes_;  // of the procedure at hand: those that stand for each of its lanes
};

}  // namespace

std::optional<CompactProgram> all_devices(CompactProgram program, const ir::WrittenDevices& written) {
  std::optional<CompactProgram> all = std::move(program);
  if (written.ranks > 0) all = GroupWriter(*all, written.ranks, written.of_rank).run();
  if (all && written.shards > 0) all = GroupWriter(*all, written.shards, 1).run();
  return all;
}

}  // namespace foreflow::lower
