// Collects the jobs of a plan, and lets them wait for ports.
#pragma once

#include <map>
#include <vector>

#include "foreflow/reshard/plan.h"

namespace foreflow::reshard {

class JobList {
 public:
  explicit JobList(const UnitTasks& units) : units_(units) {}

  // A job that moves `box` of the unit task from the first device to all others: a send or a broadcast.
  Job copy(int task, std::vector<int> devices, Box box, int chunks = 0) const;
  // All devices contribute their box; those that have nothing to contribute have an empty one.
  Job gather(int task, std::vector<int> devices, std::vector<Box> boxes) const;

  // The job uses the port at `device`: it waits for the job that used it last at another device.
  enum class Side { out, in };
  void wait(Job& job, Side side, int port, int device) const;
  // Appends the job and returns its index.
  int add(Job job);
  // From now on `job` is the one that used the port last.
  void used(int job, Side side, int port, int device);

  // The one of these devices that has sent the fewest bytes so far, the first of several. Requires one.
  int least_sent(const std::vector<int>& devices) const;

  std::vector<Job> take() { return std::move(jobs_); }

 private:
  struct Use {
    int job, device;
  };

  const UnitTasks& units_;
  std::vector<Job> jobs_;
  std::map<std::pair<Side, int>, Use> last_;
  std::map<int, Bytes> sent_;  // by device
};

}  // namespace foreflow::reshard
