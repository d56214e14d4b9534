// What the computes of a stream lose to collectives on other streams of their device, which take some of its
// processors. While a share s of them is taken, a compute does 1 - s of its work:
//
//   computes    |---------------- W ----------------|- lost -|
//   collectives   |---- B1 ----|   |-- B2 --|                    lost = s (B1 + B2), at most W s / (1 - s)
//
// The loss is charged where the computing stream next waits for the other one. It follows from what the two streams did
// since they last met, not from the order in which an engine plays them, so every engine finds the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

#include "foreflow/stream/program.h"

namespace foreflow::simulate {

// Whether the item is the part of a rank in a collective, not in a message or a hand-over.
inline bool is_collective(const stream::Program& program, const stream::Item& item) {
  return program.communications[static_cast<size_t>(item.event)].kind != collective::Kind::send;
}

// One stream of a device.
class SharedDevice {
 public:
  void computed(double start, double end) { worked_ += end - start; }
  // A rank occupies its processors from its arrival on, also while it waits for others.
  void communicated(double arrival, double end) { busy_ += end - arrival; }
  double busy() const { return busy_; }

  // What computes of this stream have lost since it last met stream `other`, which has been in collectives for `busy`
  // seconds when it signals.
  double lost_to(int32_t other, double busy, double share) {
    if (worked_ == 0) return 0;  // it computes nothing
    Met& met           = met_[other];
    const double taken = share * (busy - met.busy), most = (worked_ - met.worked) * share / (1 - share);
    met = {busy, worked_};
    return std::min(taken, most);
  }

 private:
  struct Met {
    double busy = 0, worked = 0;
  };
  double worked_ = 0, busy_ = 0;
  std::map<int32_t, Met> met_;
};

}  // namespace foreflow::simulate
