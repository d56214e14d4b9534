// The time that the computes of a stream lose to collectives on other streams of their device, which take some of its
// processors. While a share s of them is taken, a compute does 1 - s of its work:
//
//   computes    |---------- ------------|- lost -|
//   collective       |------ B ------|                 lost = s B, less where nothing is computed beside it
//
// The loss is charged where the computing stream next waits for the other one. It follows from what the two streams did
// since they last met, not from the order in which an engine plays them, so every engine finds the same.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/stream/program.h"
#include "foreflow/stream/share.h"

namespace foreflow::simulate {

// Returns true if the item is the part of a rank in a collective, not in a message, a hand-over, or the wait of a job
// for its start.
inline bool is_collective(const stream::Program& program, const stream::Item& item) {
  const stream::Communication& what = nth(program.communications, item.event);
  return what.kind != collective::Kind::send && !stream::is_wait(what);
}

// The use that one stream of a device makes of its processors. Times are in seconds.
class ProcessorSharing {
 public:
  void computed(double start, double end) {
    if (!(end > start)) return;
    if (runs_.size() == kMostRuns)
      runs_.erase(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(kMostRuns / 2));
    const double before = runs_.empty() ? 0 : runs_.back().before + runs_.back().end - runs_.back().start;
    runs_.push_back({start, end, before});
  }
  // A rank occupies its processors from its arrival on, also while it waits for others.
  void communicated(double arrival, double end) { busy_ += end - arrival; }
  double busy() const { return busy_; }

  // Returns the time that computes of this stream have lost since it last met stream `other`. That stream signals at
  // `time` and has been in collectives for `busy` seconds by then, which are taken to lie at the end of the time since
  // the two met. The lost time counts as computing.
  double lost_to(int32_t other, double time, double busy, double share) {
    if (runs_.empty()) return 0;
    Met& met            = met_[other];
    const double from   = std::max(time - (busy - met.busy), met.time);
    met                 = {time, busy};
    const double beside = computed_until(time) - computed_until(from);
    const double after  = computed_until(runs_.back().end) - computed_until(from);
    // If the collective goes on behind the last compute, that compute lasts longer, and so more of it runs beside the
    // collective.
    const bool longer = time > runs_.back().end;
    const double most = longer ? time - runs_.back().end + beside : beside;
    const double lost = share * std::min(most, after / (1 - share));
    runs_.back().end += lost;
    return lost;
  }

 private:
  struct Run {
    double start, end;
    double before;  // seconds of computing before it
  };
  struct Met {
    double time = 0, busy = 0;
  };
  static constexpr size_t kMostRuns = 1 << 16;  // of the last ones; streams that share a device meet more often

  // Seconds of computing until then.
  double computed_until(double time) const {
    const auto next =
        std::upper_bound(runs_.begin(), runs_.end(), time, [](double at, const Run& run) { return at < run.start; });
    if (next == runs_.begin()) return runs_.front().before;
    const Run& run = *std::prev(next);
    return run.before + std::min(run.end, time) - run.start;
  }

  double busy_ = 0;
  std::vector<Run> runs_;
  std::map<int32_t, Met> met_;
};

}  // namespace foreflow::simulate
