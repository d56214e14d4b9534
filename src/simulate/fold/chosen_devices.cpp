#include <algorithm>
#include <map>
#include <set>

#include "foreflow/base/error.h"
#include "foreflow/base/memory.h"
#include "foreflow/base/nth.h"
#include "simulate/fold/chosen_parts.h"
#include "simulate/fold/courses.h"
#include "simulate/fold/number_instances.h"

namespace foreflow::simulate {
namespace {

// Writes the streams of chosen devices: the items and times of their representatives, with groups of their own.
class ChosenDevicesWriter {
 public:
  ChosenDevicesWriter(const stream::CompactProgram& whole, const stream::Program& folded,
                      const stream::Timeline& timeline)
      : whole_(whole), folded_(folded), timeline_(timeline), courses_(whole), run_{events_of(folded), {}} {
    for (size_t d = 0; d < whole.devices.size(); ++d) devices_.emplace(whole.devices[d].index, d);
    streams_of_.resize(whole.devices.size());
    for (size_t s = 0; s < whole.streams.size(); ++s)
      streams_of_[devices_.at(whole.streams[s].device)].push_back(static_cast<int32_t>(s));
    for (size_t s = 0; s < folded.streams.size(); ++s) {
      const stream::Stream& stream = folded.streams[s];
      const size_t number          = ("D" + std::to_string(of(stream.device).index)).size();
      folded_streams_.emplace(std::pair(stream.device, stream.name.substr(number)), s);
    }
  }

  Run run(const ChosenDevices& chosen) && {
    std::map<int32_t, size_t> classes;  // by device number
    for (size_t c = 0; c < folded_.devices.size(); ++c) {
      for (const stream::DeviceRange& range : numbers(folded_.devices[c])) {
        for (int32_t number = range.first; number <= range.last; number += range.step) {
          if (chosen(number)) classes.emplace(number, c);
        }
      }
    }
    check_size(classes);
    for (const auto& [number, of_class] : classes) add_device(number, of_class);
    std::vector<stream::Members> members;
    for (const std::set<Member>& kind : kinds_) {
      std::vector<int32_t> streams;
      for (const Member& member : kind) streams.push_back(member.stream);
      members.emplace_back(std::move(streams));
    }
    const auto numbered = number_instances(run_.program, members);
    FOREFLOW_CHECK(numbered.has_value(), "streams of a program agree on an order, and so do some of them");
    add_flows(folded_, timeline_, run_);
    return std::move(run_);
  }

 private:
  struct Member {
    int32_t replica, place;  // in the group
    int32_t stream;
    auto operator<=>(const Member&) const = default;
  };

  const stream::DeviceUse& of(int device) const { return nth(folded_.devices, device); }

  void check_size(const std::map<int32_t, size_t>& classes) const {
    std::vector<size_t> items(folded_.devices.size(), 0);
    for (const stream::Stream& stream : folded_.streams) nth(items, stream.device) += stream.items.size();
    size_t all = 0;
    for (const auto& [number, of_class] : classes) all += items[of_class];
    check_memory(Bytes(static_cast<double>(all) * (sizeof(stream::Item) + sizeof(stream::Record))),
                 [&] { return "what " + std::to_string(classes.size()) + " devices do, op by op,"; });
  }

  void add_device(int32_t number, size_t of_class) {
    const int32_t rank    = number - whole_.first_device;
    const int32_t replica = whole_.replicas > 1 ? rank / whole_.of_replica : 0;
    const size_t device   = devices_.at(number - replica * whole_.of_replica);
    const auto use        = static_cast<int>(run_.program.devices.size());
    const std::string own = "D" + std::to_string(number);
    run_.program.devices.push_back(
        {number, whole_.place_of_rank(rank), whole_.devices[device].initial, 0, whole_.storage, {}});
    for (const int32_t stream : streams_of_[device]) {
      const std::string& lane = nth(whole_.streams, stream).stream;
      const std::string name  = lane.empty() ? "" : "." + lane;
      const size_t like       = folded_streams_.at({static_cast<int>(of_class), name});
      run_.program.streams.push_back({own + name, use, folded_.streams[like].items, folded_.streams[like].repeated});
      run_.timeline.records.push_back(timeline_.records[like]);
      if (!timeline_.issued.empty()) run_.timeline.issued.push_back(timeline_.issued[like]);
      name_groups(stream, replica, run_.program.streams.back().items);
    }
  }

  // Replaces Item::instance by the number of the group in `kinds_`.
  void name_groups(int32_t stream, int32_t replica, std::vector<stream::Item>& items) {
    const auto number = static_cast<int32_t>(run_.program.streams.size() - 1);
    std::vector<int32_t> own;  // by group of the stream
    for (const int32_t group : courses_.groups_of(stream)) {
      const Group& met = nth(courses_.groups(), group);
      const auto [found, fresh] =
          kind_numbers_.emplace(std::pair(group, met.of_all_replicas ? -1 : replica), kinds_.size());
      if (fresh) kinds_.emplace_back();
      const auto place = std::find(met.members.begin(), met.members.end(), stream) - met.members.begin();
      kinds_[found->second].insert({replica, static_cast<int32_t>(place), number});
      own.push_back(static_cast<int32_t>(found->second));
    }
    size_t item = 0;
    courses_.visit(stream, [&](int32_t, int32_t, int32_t group, Courses::Depth) {
      FOREFLOW_CHECK(item < items.size(), "a device does as many items as the one that represents it");
      items[item++].instance = group < 0 ? -1 : nth(own, group);
    });
    FOREFLOW_CHECK(item == items.size(), "a device does as many items as the one that represents it");
  }

  const stream::CompactProgram& whole_;
  const stream::Program& folded_;
  const stream::Timeline& timeline_;
  const Courses courses_;
  std::map<int32_t, size_t> devices_;                             // of the first replica, by number
  std::vector<std::vector<int32_t>> streams_of_;                  // of the first replica, by device
  std::map<std::pair<int, std::string>, size_t> folded_streams_;  // by device and what follows its name
  std::map<std::pair<int32_t, int32_t>, size_t> kind_numbers_;    // by group, and replica or -1
  std::vector<std::set<Member>> kinds_;                           // the chosen members of groups
  Run run_;
};

}  // namespace

Run only_devices(const stream::CompactProgram& whole, const stream::Program& folded, const stream::Timeline& timeline,
                 const ChosenDevices& chosen) {
  return ChosenDevicesWriter(whole, folded, timeline).run(chosen);
}

}  // namespace foreflow::simulate
