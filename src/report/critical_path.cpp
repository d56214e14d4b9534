#include "report/critical_path.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "report/lost_time.h"

namespace foreflow::report {
namespace {

constexpr double kRounding = 1e-11;  // of the makespan: what times that are equal may differ by

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

Seconds free_since(const stream::Program& program, const stream::Timeline& timeline, ItemIndex place) {
  return place.item == 0 ? program.streams[place.stream].begins : timeline.records[place.stream][place.item - 1].end;
}

std::string_view what(const stream::Program& program, const stream::Timeline& timeline, ItemIndex place) {
  const size_t whose       = whose_time(program, timeline, place.stream, place.item);
  const stream::Item& item = program.streams[place.stream].items[whose];
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

// Walks backwards from the end of an item to the item, or the host, that it waited for.
class Walk {
 public:
  Walk(const stream::Program& program, const stream::Timeline& timeline, const std::vector<Seconds>& contention)
      : program_(program), timeline_(timeline), contention_(contention), rounding_(kRounding * timeline.makespan) {}

  std::vector<Segment> from(ItemIndex place) {
    until_ = record(place).end;
    for (std::optional<ItemIndex> next = place; next;) next = before(*next);
    return path_.take();
  }

 private:
  const std::string& device(ItemIndex place) const { return program_.streams[place.stream].name; }
  const stream::Item& item(ItemIndex place) const { return program_.streams[place.stream].items[place.item]; }
  const stream::Record& record(ItemIndex place) const { return timeline_.records[place.stream][place.item]; }
  stream::Issued issued(ItemIndex place) const {
    return timeline_.issued.empty() ? stream::Issued{} : timeline_.issued[place.stream][place.item];
  }

  // Returns true if the item signals a hand-over. It does not wait for the other stream.
  bool signals(ItemIndex place) const {
    const int32_t instance = item(place).instance;
    if (instance < 0) return false;
    return hands_over(instance) && static_cast<size_t>(nth(program_.instances, instance).members[0]) == place.stream;
  }

  // When the stream has come to the item and its host has issued it.
  Seconds arrival(ItemIndex place) const {
    const Seconds free = free_since(program_, timeline_, place);
    return signals(place) ? std::max(free, issued(place).until) : free + issued(place).idle;
  }

  bool hands_over(int32_t instance) const { return stream::is_hand_over(program_, nth(program_.instances, instance)); }

  // The member that arrived last; of several, which arrived at the same time but for rounding, the one with the lowest
  // stream number: so the path through a steady state repeats, too.
  ItemIndex last_to_arrive(ItemIndex place) const {
    const int32_t instance = item(place).instance;
    if (instance < 0 || signals(place)) return place;
    const bool handed = hands_over(instance);
    ItemIndex last    = place;
    Seconds since     = arrival(place);
    for (const int32_t member : nth(program_.instances, instance).members) {
      const auto stream     = static_cast<size_t>(member);
      const ItemIndex other = {stream, item_of(program_.streams[stream], instance)};
      Seconds others        = arrival(other);
      // The time that computes lost moves the record of a signal behind them: it came when the wait ended, or before.
      if (handed && others > since + rounding_) {
        others = record(place).start;
        if (others <= since + rounding_) continue;
      }
      if (others < since - rounding_ || (others < since + rounding_ && stream >= last.stream)) continue;
      last  = other;
      since = others;
    }
    return last;
  }

  // Adds the part of [from, to] that comes before the path so far. The record of a compute includes what it lost, and
  // may end after what a signal behind it started.
  void add(ItemIndex place, std::string_view what, Seconds from, Seconds to, Seconds contention = Seconds(0)) {
    path_.add(device(place), what, std::min(to, until_) - from, contention);
    until_ = std::min(until_, from);
  }
  void add(ItemIndex place, Seconds from, Seconds to, Seconds contention = Seconds(0)) {
    add(place, what(program_, timeline_, place), from, to, contention);
  }

  // Adds what happened before the end of the item; where to go on.
  std::optional<ItemIndex> before(ItemIndex place) {
    if (issued(place).inside > Seconds(0)) {
      const stream::Record& own = record(place);
      const Seconds tail        = nth(program_.computes, item(place).event).issue.tail;
      const Seconds part        = std::min(tail, own.end - own.start);
      add(place, own.end - part, own.end);
      return before_host(place, own.end - part);
    }
    const Seconds reached     = record(place).start;
    const ItemIndex last      = last_to_arrive(place);
    const stream::Record& own = record(last);
    if (signals(last)) add(place, reached, record(place).end);  // a wait, which lasts for what was lost, if it does
    if (reached > own.start + rounding_) return before_host(last, reached);  // of the stream that hands over
    const int32_t instance = item(last).instance;
    add(last, own.start, own.end, instance < 0 ? Seconds(0) : nth(contention_, instance));
    if (issued(last).idle > Seconds(0)) return before_host(last, own.start);
    add(last, "waiting", free_since(program_, timeline_, last), own.start);
    return earlier(last);
  }

  // The host was at work until `end`, when it issued the item; since it began or waited for an item.
  std::optional<ItemIndex> before_host(ItemIndex place, Seconds end) {
    const std::vector<stream::Issued>& all = timeline_.issued[place.stream];
    while (place.item > 0 && !(all[place.item].from > all[place.item - 1].until)) --place.item;
    const Seconds begun = issued(place).from;
    add(place, "host", begun, end);
    if (place.item == 0) add(place, "waiting", program_.streams[place.stream].begins, begun);
    return earlier(place);
  }

  static std::optional<ItemIndex> earlier(ItemIndex place) {
    if (place.item == 0) return {};
    return ItemIndex{place.stream, place.item - 1};
  }

  const stream::Program& program_;
  const stream::Timeline& timeline_;
  const std::vector<Seconds>& contention_;
  const Seconds rounding_;
  Seconds until_;  // what comes later is on the path
  Path path_;
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

  return Walk(program, timeline, contention).from(place);
}

}  // namespace foreflow::report
