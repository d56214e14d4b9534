#include "report/link_history.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "report/collectives.h"
#include "report/stretches.h"

namespace foreflow::report {
namespace {

// A communication's flow on a link.
struct Visit {
  Seconds start, end;
  int32_t instance;
  int32_t party;  // Program::communications
};

// By link of the platform.
using Visits = std::vector<std::vector<Visit>>;

Visits visits_of(const stream::Program& program, const stream::Timeline& timeline, size_t links) {
  Visits visits(links);
  for (const stream::Flow& flow : timeline.flows) {
    if (!(flow.start < flow.end)) continue;
    const int32_t party = nth(program.instances, flow.instance).communication;
    for (const stream::Crossing& crossing : nth(timeline.loads, flow.load))
      nth(visits, crossing.link).push_back({flow.start, flow.end, flow.instance, party});
  }
  return visits;
}

// How many instances of each party are on a link at a moment; one instance may have several flows there.
class Present {
 public:
  void enter(const Visit& visit) {
    if (++flows_[visit.instance] == 1) ++instances_[visit.party];
  }
  void leave(const Visit& visit) {
    if (--flows_[visit.instance] > 0) return;
    flows_.erase(visit.instance);
    const auto party = instances_.find(visit.party);
    if (--party->second == 0) instances_.erase(party);
  }

  // Every two parties of which different instances are present; first <= second.
  template <class F>
  void for_each_pair(const F& f) const {
    for (auto first = instances_.begin(); first != instances_.end(); ++first) {
      if (first->second > 1) f(first->first, first->first);
      for (auto second = std::next(first); second != instances_.end(); ++second) f(first->first, second->first);
    }
  }

 private:
  std::unordered_map<int32_t, int> flows_;  // by instance
  std::map<int32_t, int> instances_;        // by party
};

std::map<std::pair<int32_t, int32_t>, Seconds> shared_time(const std::vector<Visit>& visits) {
  struct Turn {
    Seconds time;
    bool enters;
    const Visit* visit;
  };
  std::vector<Turn> turns;
  for (const Visit& visit : visits) {
    turns.push_back({visit.start, true, &visit});
    turns.push_back({visit.end, false, &visit});
  }
  std::stable_sort(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) {
    return a.time < b.time || (a.time == b.time && !a.enters && b.enters);
  });
  std::map<std::pair<int32_t, int32_t>, Seconds> together;
  Present present;
  for (size_t i = 0; i < turns.size(); ++i) {
    turns[i].enters ? present.enter(*turns[i].visit) : present.leave(*turns[i].visit);
    const Seconds lasts = i + 1 < turns.size() ? turns[i + 1].time - turns[i].time : Seconds(0);
    if (lasts > Seconds(0))
      present.for_each_pair([&](int32_t first, int32_t second) { together[{first, second}] += lasts; });
  }
  return together;
}

// "MPIAllreduce of 64 MiB among 8": tells the communications of a program apart.
std::vector<std::string> party_names(const stream::Program& program) {
  std::vector<std::string> names(program.communications.size());
  for (const stream::Instance& instance : program.instances) {
    std::string& name = nth(names, instance.communication);
    if (!name.empty() || instance.members.empty()) continue;  // nobody takes part in the wait for a job's start
    const Bytes bytes = nth(program.communications, instance.communication).bytes;
    name              = name_of(program, instance) + " of " + format(bytes);
    if (instance.members.size() > 2) name += " among " + std::to_string(instance.members.size());
  }
  return names;
}

// Bytes that cross each link in each of kIntervals equal parts of the iteration.
std::vector<std::vector<double>> bytes_by_interval(const stream::Program& program, const stream::Timeline& timeline,
                                                   size_t links) {
  std::vector<std::vector<double>> bytes(links);
  const double width = timeline.makespan.value() / LinkSummary::kIntervals;
  for (size_t f = 0; f < timeline.flows.size(); ++f) {
    const stream::Flow& flow = timeline.flows[f];
    for_each_stretch(timeline, f, bytes_of(program, flow), [&](Seconds from, Seconds to, BytesPerSecond rate) {
      const auto interval = [&](Seconds time) {
        return std::min(static_cast<size_t>(time.value() / width), LinkSummary::kIntervals - 1);
      };
      for (size_t i = interval(from); i <= interval(to); ++i) {
        const double begins = std::max(from.value(), static_cast<double>(i) * width);
        const double ends   = std::min(to.value(), static_cast<double>(i + 1) * width);
        if (ends <= begins) continue;
        for (const stream::Crossing& crossing : nth(timeline.loads, flow.load)) {
          auto& parts = nth(bytes, crossing.link);
          parts.resize(LinkSummary::kIntervals);
          parts[i] += crossing.weight * rate.value() * (ends - begins);
        }
      }
    });
  }
  return bytes;
}

}  // namespace

void add_history(Summary& summary, const stream::Program& program, const stream::Timeline& timeline,
                 const platform::Platform& platform) {
  const size_t links                   = platform.links().size();
  const Visits visits                  = visits_of(program, timeline, links);
  const auto bytes                     = bytes_by_interval(program, timeline, links);
  const std::vector<std::string> names = party_names(program);
  const double width                   = timeline.makespan.value() / LinkSummary::kIntervals;

  for (LinkSummary& link : summary.links) {
    const auto found = platform.find_link(link.name);
    FOREFLOW_CHECK(found.has_value(), "a summary has links of its platform");
    const auto l      = static_cast<size_t>(*found);
    const double full = platform.links().like(l).payload().value() * width;
    for (const double part : bytes[l]) link.usage.push_back(full > 0 ? part / full : 0);
    for (const auto& [parties, seconds] : shared_time(visits[l])) {
      link.shared.push_back({nth(names, parties.first), nth(names, parties.second), seconds});
    }
    std::stable_sort(link.shared.begin(), link.shared.end(),
                     [](const LinkSharing& a, const LinkSharing& b) { return a.seconds > b.seconds; });
  }
}

}  // namespace foreflow::report
