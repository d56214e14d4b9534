// What the computes of a stream lose to collectives on other streams of their device, which take some of its
// processors. While a share s of them is taken, a compute does 1 - s of its work:
//
//   computes    |---------- ------------|- lost -|
//   collective       |------ B ------|                 lost = s B, less where nothing is computed beside it
//
// The loss is charged where the computing stream next waits for the other one. It follows from what the two streams did
// since they last met, not from the order in which an engine plays them, so every engine finds the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "foreflow/stream/program.h"

namespace foreflow::simulate {

// Whether the item is the part of a rank in a collective, not in a message or a hand-over.
inline bool is_collective(const stream::Program& program, const stream::Item& item) {
  return program.communications[static_cast<size_t>(item.event)].kind != collective::Kind::send;
}

// One stream of a device. Times in seconds.
class SharedDevice {
 public:
  void computed(double start, double end) {
    if (!(end > start)) return;
    runs_.push_back({start, end});
    if (runs_.size() > kMostRuns) runs_.erase(runs_.begin());
  }
  // A rank occupies its processors from its arrival on, also while it waits for others.
  void communicated(double arrival, double end) { busy_ += end - arrival; }
  double busy() const { return busy_; }

  // What computes of this stream have lost since it last met stream `other`, which signals at `time` and has been in
  // collectives for `busy` seconds by then, at the end of the time since they met. What is lost counts as computing.
  double lost_to(int32_t other, double time, double busy, double share) {
    if (runs_.empty()) return 0;
    Met& met          = met_[other];
    const double from = std::max(time - (busy - met.busy), met.time);
    met               = {time, busy};
    double beside = 0, after = 0;  // computes until `time`, and behind it or until it
    for (const Run& run : runs_) {
      beside += std::max(0.0, std::min(run.end, time) - std::max(run.start, from));
      after += std::max(0.0, run.end - std::max(run.start, from));
    }
    // Where the collective goes on behind the last compute, that lasts longer, still beside it.
    const bool longer = time > runs_.back().end;
    const double most = longer ? time - runs_.back().end + beside : beside;
    const double lost = share * std::min(most, after / (1 - share));
    runs_.back().end += lost;
    return lost;
  }

 private:
  struct Run {
    double start, end;
  };
  struct Met {
    double time = 0, busy = 0;
  };
  static constexpr size_t kMostRuns = 64;  // older ones are behind what streams that keep step may still meet about

  double busy_ = 0;
  std::vector<Run> runs_;
  std::map<int32_t, Met> met_;
};

}  // namespace foreflow::simulate
