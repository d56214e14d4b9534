#include "report/critical_path.h"

#include <algorithm>
#include <string_view>

#include "foreflow/base/error.h"

namespace foreflow::report {
namespace {

struct ItemIndex {
  size_t stream;
  size_t item;
};

// The item of a stream that is its part in an instance. Found by bisection, because the instances of a stream ascend.
size_t item_of(const stream::Stream& stream, int32_t instance) {
  size_t first = 0, last = stream.items.size();
  while (first < last) {
    const size_t middle = first + (last - first) / 2;
    size_t at           = middle;
    while (at < last && stream.items[at].instance < 0) ++at;
    if (at == last || stream.items[at].instance > instance) {
      last = middle;
    } else if (stream.items[at].instance < instance) {
      first = at + 1;
    } else {
      return at;
    }
  }
  throw InternalError(stream.name + ": a member does not list its instance");
}

Seconds free_since(const stream::Timeline& timeline, ItemIndex place) {
  return place.item == 0 ? Seconds(0) : timeline.records[place.stream][place.item - 1].end;
}

// The member that arrived last; of several, the one with the lowest stream number.
ItemIndex last_to_arrive(const stream::Program& program, const stream::Timeline& timeline, ItemIndex place) {
  const int32_t instance = program.streams[place.stream].items[place.item].instance;
  if (instance < 0) return place;
  const stream::Instance& meeting = program.instances[static_cast<size_t>(instance)];
  // The stream that hands over does not wait, so it cannot have waited for the other one.
  if (stream::is_hand_over(program, meeting) && static_cast<size_t>(meeting.members[0]) == place.stream) return place;
  ItemIndex last = place;
  Seconds since  = free_since(timeline, place);
  for (const int32_t member : meeting.members) {
    const auto stream     = static_cast<size_t>(member);
    const ItemIndex other = {stream, item_of(program.streams[stream], instance)};
    const Seconds others  = free_since(timeline, other);
    if (others < since || (others == since && stream >= last.stream)) continue;
    last  = other;
    since = others;
  }
  return last;
}

std::string_view what(const stream::Program& program, ItemIndex place) {
  const stream::Item& item = program.streams[place.stream].items[place.item];
  const auto event         = static_cast<size_t>(item.event);
  return item.instance < 0 ? program.computes[event].name : program.communications[event].name;
}

class Path {
 public:
  // Segments are collected in reverse order.
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
  ItemIndex place            = {0, 0};
  for (size_t s = 0; s < timeline.records.size(); ++s) {
    if (timeline.records[s].empty()) continue;
    const stream::Record& end = timeline.records[s].back();
    if (last != nullptr && end.end <= last->end) continue;
    last  = &end;
    place = {s, timeline.records[s].size() - 1};
  }
  if (last == nullptr) return {};

  Path path;
  while (true) {
    const Seconds reached        = timeline.records[place.stream][place.item].start;
    place                        = last_to_arrive(program, timeline, place);
    const std::string& device    = program.streams[place.stream].name;
    const stream::Record& record = timeline.records[place.stream][place.item];
    const int32_t instance       = program.streams[place.stream].items[place.item].instance;
    path.add(device, "waiting", reached - record.start);  // for the host of a stream that hands over
    path.add(device, what(program, place), record.end - record.start,
             instance < 0 ? Seconds(0) : contention[static_cast<size_t>(instance)]);
    path.add(device, "waiting", record.start - free_since(timeline, place));
    if (place.item == 0) break;
    --place.item;
  }
  return path.take();
}

}  // namespace foreflow::report
