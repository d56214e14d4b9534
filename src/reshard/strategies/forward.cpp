// Receivers that forward: a box goes to one host at a time, and hosts that have it send it on. Unlike in a chain, a
// slow link holds up only the host behind it, and the first sender is free as soon as one host has the box. What could
// end first is next.
//
//   sender |->h1|->h2|
//   h1          |->h3|
//
// The order is made on the ports alone: greedy, without a proof.
#include <queue>
#include <tuple>

#include "foreflow/base/nth.h"
#include "foreflow/reshard/strategy.h"
#include "reshard/deliveries.h"
#include "reshard/inside_copies.h"
#include "reshard/job_list.h"

namespace foreflow::reshard::definitions::forward {
namespace {

struct Source {
  int device;
  Seconds since;  // it has the box
};

// A way to serve one arrival of one delivery. The end is a lower bound: ports may become busier.
struct Option {
  Seconds end;
  int delivery, arrival, source;

  friend bool operator>(const Option& a, const Option& b) {
    return std::tie(a.end, a.delivery, a.arrival, a.source) > std::tie(b.end, b.delivery, b.arrival, b.source);
  }
};

class Forwarding {
 public:
  Forwarding(const UnitTasks& units, const Ports& ports, const PlanOptions& options)
      : units_(units), ports_(ports), plan_options_(options), all_(deliveries(units, ports)), jobs_(units) {
    out_.resize(ports.ports.size());
    in_.resize(ports.ports.size());
    for (const Delivery& delivery : all_.crossing) {
      sources_.emplace_back();
      served_.emplace_back(delivery.arrivals.size());
      for (const int holder : delivery.holders) add_source(static_cast<int>(sources_.size()) - 1, {holder, Seconds(0)});
    }
  }

  Plan plan() {
    const Schedule inside = add_inside(jobs_, units_, ports_, all_.inside, plan_options_);
    while (!options_.empty()) {
      Option best = options_.top();
      options_.pop();
      if (nth(nth(served_, best.delivery), best.arrival)) continue;
      const Seconds end = end_of(best);
      if (end > best.end) {
        best.end = end;
        options_.push(best);
      } else {
        serve(best);
      }
    }
    plan_.jobs  = jobs_.take();
    plan_.bound = least_of_turns();
    expect_beside(plan_, inside);
    return std::move(plan_);
  }

 private:
  // One way for each port that has the box: devices at one port are equal.
  void add_source(int delivery, const Source& source) {
    auto& known = nth(sources_, delivery);
    for (const Source& other : known) {
      if (ports_.port(other.device) == ports_.port(source.device)) return;
    }
    known.push_back(source);
    const auto& arrivals = nth(all_.crossing, delivery).arrivals;
    for (size_t i = 0; i < arrivals.size(); ++i) {
      Option option{Seconds(0), delivery, static_cast<int>(i), static_cast<int>(known.size()) - 1};
      option.end = end_of(option);
      if (!nth(served_, delivery)[i]) options_.push(option);
    }
  }

  const Arrival& arrival(const Option& option) const {
    return nth(nth(all_.crossing, option.delivery).arrivals, option.arrival);
  }
  const Source& source(const Option& option) const { return nth(nth(sources_, option.delivery), option.source); }

  Seconds start_of(const Option& option) const {
    return std::max(
        {source(option).since, nth(out_, ports_.port(source(option).device)), nth(in_, arrival(option).port)});
  }
  Seconds end_of(const Option& option) const {
    const int port = ports_.port(source(option).device);
    return start_of(option) + nth(all_.crossing, option.delivery).bytes / ports_.pace(port, arrival(option).port);
  }

  void serve(const Option& option) {
    const Arrival& to = arrival(option);
    const int from = source(option).device, out = ports_.port(from), entry = to.devices.front();
    const int task      = nth(all_.crossing, option.delivery).task;
    const Seconds start = start_of(option), end = end_of(option);
    std::vector<int> devices = {from};
    devices.insert(devices.end(), to.devices.begin(), to.devices.end());
    Job job = jobs_.copy(task, std::move(devices), units_.box(nth(units_.tasks, task)), plan_options_.chunks);
    jobs_.wait(job, JobList::Side::out, out, from);
    jobs_.wait(job, JobList::Side::in, to.port, entry);
    const int index = jobs_.add(std::move(job));
    jobs_.used(index, JobList::Side::out, out, from);
    jobs_.used(index, JobList::Side::in, to.port, entry);
    nth(out_, out) = nth(in_, to.port)                 = end;
    nth(nth(served_, option.delivery), option.arrival) = true;
    plan_.turns.push_back({task, out, {to.port}, start, end});
    plan_.expected = std::max(plan_.expected, end);
    add_source(option.delivery, {entry, end});
  }

  // The load of the busiest receiver.
  Seconds least_of_turns() const {
    std::vector<Seconds> load(ports_.ports.size());
    Seconds most;
    for (const Delivery& delivery : all_.crossing) {
      for (const Arrival& to : delivery.arrivals) {
        Seconds& own = nth(load, to.port);
        own += delivery.bytes / nth(ports_.ports, to.port).in;
        most = std::max(most, own);
      }
    }
    return most;
  }

  const UnitTasks& units_;
  const Ports& ports_;
  const PlanOptions& plan_options_;
  Deliveries all_;
  JobList jobs_;
  Plan plan_;
  std::vector<Seconds> out_, in_;             // the end of the last use of each port
  std::vector<std::vector<Source>> sources_;  // by delivery
  std::vector<std::vector<bool>> served_;     // by delivery and arrival
  std::priority_queue<Option, std::vector<Option>, std::greater<>> options_;
};

Plan plan(const UnitTasks& units, const Ports& ports, const PlanOptions& options) {
  return Forwarding(units, ports, options).plan();
}

}  // namespace

StrategyDef row() {
  return {"forward",
          "host by host: hosts that have a box send it on, so slow links delay no other host",
          "earliest end first; not in arXiv 2211.05322",
          true,
          false,
          plan};
}

}  // namespace foreflow::reshard::definitions::forward
