#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "schedule/arrivals.h"

namespace foreflow::schedule {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Plays all devices at once, in the order of time, and writes down what each does next: its next task if it can begin
// no later than a weight gradient, else the weight gradient that has waited longest. What ends by some time has begun
// before it, so nothing that would be ready is overlooked.
class Delayer {
 public:
  Delayer(const Plan& plan, int waiting, const Costs& costs)
      : plan_(plan), most_(static_cast<size_t>(waiting)), costs_(costs), arrivals_(plan, costs) {
    devices_.resize(plan.order.size());
  }

  Order run() && {
    Order order(devices_.size());
    for (;;) {
      size_t first = 0;
      Choice best;
      for (size_t device = 0; device < devices_.size(); ++device) {
        const Choice choice = choose(device);
        if (choice.start < best.start) {
          first = device;
          best  = choice;
        }
      }
      if (best.start == kNever) break;
      order[first].push_back(do_next(first, best));
    }
    return order;
  }

 private:
  struct Device {
    size_t next = 0;            // of its order
    std::vector<Task> waiting;  // all weight gradients so far
    size_t done = 0;            // of them
    double free = 0;            // from when on
  };
  struct Choice {
    double start     = kNever;
    bool weight_grad = false;
  };

  Choice choose(size_t d) const {
    const Device& device = devices_[d];
    const size_t waiting = device.waiting.size() - device.done;
    Choice choice;
    if (device.next < plan_.order[d].size() && waiting <= most_) {
      const auto ready = arrivals_.inputs(d, split(plan_.order[d][device.next]));
      if (ready) choice.start = std::max(device.free, *ready);
    }
    return waiting > 0 && device.free < choice.start ? Choice{device.free, true} : choice;
  }

  Task do_next(size_t d, const Choice& choice) {
    Device& device  = devices_[d];
    const Task task = choice.weight_grad ? device.waiting[device.done++] : split(plan_.order[d][device.next++]);
    device.free     = choice.start + task_time(plan_, costs_, d, task);
    arrivals_.output(d, task, device.free);
    if (task.phase == Phase::input_grad) device.waiting.push_back({Phase::weight_grad, task.microbatch, task.chunk});
    return task;
  }

  static Task split(Task task) {
    FOREFLOW_CHECK(!task.joined && (task.phase == Phase::forward || task.phase == Phase::backward),
                   "what is split already is not split again");
    if (task.phase == Phase::backward) task.phase = Phase::input_grad;
    return task;
  }

  const Plan& plan_;
  const size_t most_;
  const Costs& costs_;
  Arrivals arrivals_;
  std::vector<Device> devices_;
};

}  // namespace

Plan delay_weight_gradients(const Plan& plan, int waiting, const Costs& costs) {
  FOREFLOW_CHECK(waiting >= 0, "a number of weight gradients");
  return {plan.size, plan.mapping, Delayer(plan, waiting, costs).run()};
}

std::string refuse_delay(const ScheduleDef& schedule) {
  if (!schedule.trains) return fmt::format("{} has no weight gradients to delay", schedule.name);
  if (schedule.splits_backward)
    return fmt::format("{} splits the backward and places weight gradients itself", schedule.name);
  return "";
}

}  // namespace foreflow::schedule
