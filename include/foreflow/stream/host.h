// The host of a stream. A framework issues kernels and communications one by one: nothing starts before it is issued,
// and while the host is ahead of the device its time is hidden. The state is one number, when the host can issue next.
#pragma once

#include <algorithm>

#include "foreflow/base/units.h"

namespace foreflow::stream {

// The work of the host to issue one item. If all members are zero, the item is issued at no cost.
//
// A compute of kernels k = 1 .. n with issue costs c and durations d, which the host begins to issue at time h:
//   1. `first` = c(1), `all` = c(1) + .. + c(n);
//   2. kernel k starts at max(end of kernel k - 1, h + c(1) + .. + c(k));
//   3. so it ends at max(start + d(1) + .. + d(n), h + lag), `lag` = max over k of c(1) + .. + c(k) + d(k) + .. + d(n);
//   4. `tail` = d(k) + .. + d(n) for this k, what a slow device makes longer.
// For a communication only `all` matters: a member arrives no earlier than it is issued.
struct Issue {
  Seconds first{}, all{}, lag{}, tail{};
  // True if the host waits. Before a compute it waits until the stream has nothing left to do, and issues the item
  // then. At a communication it waits until the communication has ended.
  bool waits = false;

  bool costs() const { return all > Seconds(0); }
  // Work of the host before the next kernel.
  void prepare(Seconds time) { all += time; }
  // Adds `count` equal kernels, each of which the host issues in `cost`, and which take `duration` together.
  void add_kernels(int count, Seconds cost, Seconds duration) {
    if (count < 1) return;
    if (lag == Seconds(0)) first = all + cost;
    // The first or the last of equal kernels decides.
    const Seconds by_first = all + cost + duration, end = all + count * cost;
    const Seconds one = duration / static_cast<double>(count);
    lengthen(duration);
    if (by_first > lag) lag = by_first, tail = duration;
    if (end + one > lag) lag = end + one, tail = one;
    all = end;
  }
  // The last kernel takes so much longer.
  void lengthen(Seconds duration) {
    lag += duration;
    tail += duration;
  }
  bool operator==(const Issue&) const = default;
};

// The host of one stream while the stream runs; times in seconds.
class HostClock {
 public:
  // `begins`: when it can issue first.
  explicit HostClock(Seconds begins = Seconds(0)) : now_(begins.value()) {}

  struct Compute {
    double start;  // of its first kernel
    double last;   // when the device begins the tail at the earliest
  };
  // Issues a compute on a stream that is free from `free` on.
  Compute issue(const Issue& item, double free) {
    if (item.waits) now_ = std::max(now_, free);
    const Compute begun{std::max(free, now_ + item.first.value()), now_ + (item.lag - item.tail).value()};
    now_ += item.all.value();
    return begun;
  }
  // Issues a communication; when the stream arrives at it.
  double arrive(const Issue& item, double free) {
    now_ += item.all.value();
    return std::max(free, now_);
  }
  // The communication has ended for the stream.
  void ended(const Issue& item, double end) {
    if (item.waits) now_ = std::max(now_, end);
  }
  double now() const { return now_; }

 private:
  double now_;
};

}  // namespace foreflow::stream
