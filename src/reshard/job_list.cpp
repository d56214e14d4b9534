#include "reshard/job_list.h"

#include <algorithm>

#include "foreflow/base/nth.h"

namespace foreflow::reshard {

Job JobList::copy(int task, std::vector<int> devices, Box box, int chunks) const {
  const int move      = nth(units_.tasks, task).move;
  const auto elements = static_cast<double>(volume(box));
  const auto kind     = devices.size() > 2 ? collective::Kind::broadcast : collective::Kind::send;
  return {task,
          move,
          kind,
          std::move(devices),
          {std::move(box)},
          bytes_of(nth(units_.moves, move).tensor, elements),
          kind == collective::Kind::broadcast ? chunks : 0};
}

// The parts of an all-gather are equal, so the largest decides.
Job JobList::gather(int task, std::vector<int> devices, std::vector<Box> boxes) const {
  const int move = nth(units_.tasks, task).move;
  int64_t most   = 0;
  for (const Box& box : boxes) most = std::max(most, volume(box));
  const Bytes part  = bytes_of(nth(units_.moves, move).tensor, static_cast<double>(most));
  const Bytes bytes = static_cast<double>(devices.size()) * part;
  return {task, move, collective::Kind::all_gather, std::move(devices), std::move(boxes), bytes};
}

void JobList::wait(Job& job, Side side, int port, int device) const {
  const auto last = last_.find({side, port});
  if (last != last_.end() && last->second.device != device)
    job.waits.push_back({last->second.job, last->second.device, device});
}

int JobList::add(Job job) {
  if (job.kind != collective::Kind::all_gather) sent_[job.devices.front()] += job.bytes;
  jobs_.push_back(std::move(job));
  return static_cast<int>(jobs_.size()) - 1;
}

void JobList::used(int job, Side side, int port, int device) { last_[{side, port}] = {job, device}; }

int JobList::least_sent(const std::vector<int>& devices) const {
  const auto sent = [&](int device) {
    const auto found = sent_.find(device);
    return found == sent_.end() ? Bytes(0) : found->second;
  };
  return *std::min_element(devices.begin(), devices.end(), [&](int a, int b) { return sent(a) < sent(b); });
}

}  // namespace foreflow::reshard
