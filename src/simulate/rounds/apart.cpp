#include "simulate/rounds/apart.h"

#include <algorithm>
#include <unordered_map>

#include "foreflow/base/nth.h"

namespace foreflow::simulate {
namespace {

constexpr double kApartRounding = 2e-11;  // of the makespan

class Meetings {
 public:
  Meetings(const stream::Program& program, const stream::Timeline& timeline, const std::vector<Part>& parts)
      : program_(program), timeline_(timeline), part_of_stream_(program.streams.size()) {
    for (size_t p = 0; p < parts.size(); ++p) {
      const bool leaves_out = parts[p].steady.loops > 0;
      until_.push_back(leaves_out ? parts[p].steady.until - kApartRounding * timeline.makespan : Seconds(0));
      for (const size_t s : parts[p].streams) part_of_stream_[s] = static_cast<int32_t>(p);
    }
    for (const stream::Instance& instance : program.instances) parts_.push_back(part_of(instance.members));
  }

  bool are_behind() const {
    for (size_t s = 0; s < program_.streams.size(); ++s) {
      if (!meets_behind(s)) return false;
    }
    return flows_are_behind();
  }

 private:
  static constexpr int32_t kSeveral = -1;

  int32_t part_of(const stream::Members& members) const {
    const int32_t first = nth(part_of_stream_, members.front());
    const bool one      = std::all_of(members.begin(), members.end(),
                                      [&](int32_t member) { return nth(part_of_stream_, member) == first; });
    return one ? first : kSeveral;
  }

  // True if the stream meets other parts only when its own is where it is in a run of all rounds.
  bool meets_behind(size_t s) const {
    const std::vector<stream::Item>& items = program_.streams[s].items;
    for (size_t i = 0; i < items.size(); ++i) {
      if (items[i].instance < 0 || nth(parts_, items[i].instance) != kSeveral) continue;
      if (timeline_.records[s][i].start < nth(until_, part_of_stream_[s])) return false;
    }
    return true;
  }

  // True if all flows over a link begin when the part that loads the link before is where it is in a run of all rounds,
  // except those of this part.
  bool flows_are_behind() const {
    std::unordered_map<int32_t, int32_t> before;  // by link: the part that loads it before
    for (const stream::Flow& flow : timeline_.flows) {
      const int32_t part = nth(parts_, flow.instance);
      if (part == kSeveral || !(flow.start < nth(until_, part))) continue;
      for (const stream::Crossing& crossing : nth(timeline_.loads, flow.load)) {
        if (before.try_emplace(crossing.link, part).first->second != part) return false;
      }
    }
    return std::all_of(timeline_.flows.begin(), timeline_.flows.end(), [&](const stream::Flow& flow) {
      const auto& crossings = nth(timeline_.loads, flow.load);
      return std::all_of(crossings.begin(), crossings.end(), [&](const stream::Crossing& crossing) {
        const auto found = before.find(crossing.link);
        if (found == before.end() || found->second == nth(parts_, flow.instance)) return true;
        return !(flow.start < nth(until_, found->second));
      });
    });
  }

  const stream::Program& program_;
  const stream::Timeline& timeline_;
  std::vector<int32_t> part_of_stream_;
  std::vector<Seconds> until_;  // by part
  std::vector<int32_t> parts_;  // by instance
};

}  // namespace

bool are_apart(const stream::Program& program, const stream::Timeline& timeline, const std::vector<Part>& parts) {
  return parts.size() == 1 || Meetings(program, timeline, parts).are_behind();
}

}  // namespace foreflow::simulate
