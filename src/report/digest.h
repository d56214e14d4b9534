// A shortened summary for people: families instead of ops, groups instead of equal devices.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/report/memory.h"
#include "foreflow/report/summary.h"

namespace foreflow::report {

struct FamilyTime {
  std::string name;
  std::string colour;
  Seconds seconds;                 // on the average device
  std::vector<const OpTime*> ops;  // longest first
};

// Longest first.
std::vector<FamilyTime> time_by_family(const Summary& summary);

// Devices whose printed figures are equal, in the order of their first devices.
struct DeviceGroup {
  std::vector<size_t> devices;  // indices into Summary::devices
  const DeviceSummary* first = nullptr;
};
std::vector<DeviceGroup> equal_devices(const Summary& summary);

// The least time that the busiest link takes for its traffic, if that is more than the iteration: the engine let
// communications share links without slowing each other down, and a use above 100 % is what they asked for, not what
// they got. Nothing otherwise.
std::optional<Seconds> needed_by_links(const Summary& summary);

// Links whose printed figures are equal, highest utilization first.
struct LinkGroup {
  int64_t count            = 0;
  const LinkSummary* first = nullptr;
};
std::vector<LinkGroup> busiest_links(const Summary& summary);

// The critical path by kind of item, longest first.
struct PathShare {
  std::string what;
  Seconds seconds;
  int64_t count = 0;
  std::vector<std::string> streams;  // in the order in which the path meets them
};
std::vector<PathShare> path_shares(const Summary& summary);

// The peak of the devices that are fullest relative to their capacity; null: there are no peaks.
const MemoryPeak* fullest_peak(const Summary& summary, const std::vector<MemoryPeak>& peaks);

// "optimizer state".
std::string words_of(stream::MemoryClass kind);

// The largest buffers of a class: "3 x h.0.probabilities, h.0.up".
std::string largest(const MemoryPeak& peak, stream::MemoryClass kind, size_t most);

// Shares of the time of messages on all devices, by CollectiveSummary::provenance.
Json message_provenance(const Summary& summary);

// "one iteration", or "all jobs".
std::string_view what_takes_the_time(const Summary& summary);

// A row of the table of jobs: name, start, time alone, time together, slowdown.
std::array<std::string, 5> columns_of(const JobSummary& job);

// A row of the table of communications: what, how often, time of each, algbw, busbw, the part of its time lost to
// contention, the part of that and of waiting that is waiting.
std::array<std::string, 7> columns_of(const CollectiveSummary& row);

// "packed: D1-D8 on node0, D9-D16 on node1, … 6 nodes more", with as many nodes as fit into `width` cells; "spread: 8
// nodes" where none does. `job`: index into Summary::jobs, 0 where there is only one.
std::string where_ranks_sit(const Summary& summary, size_t job, const std::string& placement, int width);

struct Averages {
  Seconds idle;
  Seconds host;         // waiting for the host
  Seconds host_inside;  // the part of it that is not idle, but between kernels
  double hidden = 0;    // share of the communication time during which its device also computes, 0..1
};
Averages averages(const Summary& summary);

}  // namespace foreflow::report
