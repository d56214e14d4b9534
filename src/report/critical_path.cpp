#include "report/critical_path.h"

#include <algorithm>
#include <string_view>

#include "foreflow/base/error.h"

namespace foreflow::report {
namespace {

struct Place {
  size_t stream;
  size_t item;
};

// Finds the item of a stream that takes part in an instance.
class Meetings {
 public:
  explicit Meetings(const stream::Program& program) : program_(program), items_(program.streams.size()) {
    for (size_t s = 0; s < program.streams.size(); ++s) {
      const auto& items = program.streams[s].items;
      for (size_t i = 0; i < items.size(); ++i) {
        if (items[i].instance >= 0) items_[s].push_back(static_cast<uint32_t>(i));
      }
    }
  }

  size_t item(size_t stream, int32_t instance) const {
    const auto& items = program_.streams[stream].items;
    const auto found  = std::lower_bound(items_[stream].begin(), items_[stream].end(), instance,
                                         [&](uint32_t i, int32_t wanted) { return items[i].instance < wanted; });
    FOREFLOW_CHECK(found != items_[stream].end() && items[*found].instance == instance,
                   "a member does not list its instance");
    return *found;
  }

 private:
  const stream::Program& program_;
  std::vector<std::vector<uint32_t>> items_;  // per stream, the items with an instance; their instances increase
};

Seconds free_since(const stream::Timeline& timeline, Place place) {
  return place.item == 0 ? Seconds(0) : timeline.records[place.stream][place.item - 1].end;
}

// The member that the others waited for; of several the lowest stream.
Place last_to_arrive(const stream::Program& program, const stream::Timeline& timeline, const Meetings& meetings,
                     Place place) {
  const int32_t instance = program.streams[place.stream].items[place.item].instance;
  if (instance < 0) return place;
  const stream::Instance& meeting = program.instances[static_cast<size_t>(instance)];
  // The first of the two streams of a hand-over waits for nobody.
  if (stream::is_hand_over(program, meeting) && static_cast<size_t>(meeting.members[0]) == place.stream) return place;
  Place last    = place;
  Seconds since = free_since(timeline, place);
  for (const int32_t member : meeting.members) {
    const auto stream    = static_cast<size_t>(member);
    const Place other    = {stream, meetings.item(stream, instance)};
    const Seconds others = free_since(timeline, other);
    if (others < since || (others == since && stream >= last.stream)) continue;
    last  = other;
    since = others;
  }
  return last;
}

std::string_view what(const stream::Program& program, Place place) {
  const stream::Item& item = program.streams[place.stream].items[place.item];
  const auto event         = static_cast<size_t>(item.event);
  return item.instance < 0 ? program.computes[event].name : program.communications[event].name;
}

class Path {
 public:
  // Segments come last first.
  void add(std::string_view device, std::string_view what, Seconds seconds, Seconds contention = Seconds(0)) {
    if (seconds <= Seconds(0)) return;
    if (!segments_.empty() && segments_.back().device == device && segments_.back().what == what) {
      segments_.back().seconds += seconds;
      segments_.back().contention += contention;
      ++segments_.back().count;
      return;
    }
    segments_.push_back({std::string(device), std::string(what), seconds, 1, contention});
  }
  std::vector<Segment> take() {
    std::reverse(segments_.begin(), segments_.end());
    return std::move(segments_);
  }

 private:
  std::vector<Segment> segments_;
};

}  // namespace

std::vector<Segment> critical_path(const stream::Program& program, const stream::Timeline& timeline,
                                   const std::vector<Seconds>& contention) {
  const stream::Record* last = nullptr;
  Place place                = {0, 0};
  for (size_t s = 0; s < timeline.records.size(); ++s) {
    if (timeline.records[s].empty()) continue;
    const stream::Record& end = timeline.records[s].back();
    if (last != nullptr && end.end <= last->end) continue;
    last  = &end;
    place = {s, timeline.records[s].size() - 1};
  }
  if (last == nullptr) return {};

  const Meetings meetings(program);
  Path path;
  while (true) {
    place                        = last_to_arrive(program, timeline, meetings, place);
    const std::string& device    = program.streams[place.stream].name;
    const stream::Record& record = timeline.records[place.stream][place.item];
    const int32_t instance       = program.streams[place.stream].items[place.item].instance;
    path.add(device, what(program, place), record.end - record.start,
             instance < 0 ? Seconds(0) : contention[static_cast<size_t>(instance)]);
    path.add(device, "waiting", record.start - free_since(timeline, place));
    if (place.item == 0) break;
    --place.item;
  }
  return path.take();
}

}  // namespace foreflow::report
