#include "foreflow/execute/trace.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "execute/gzip.h"
#include "execute/trace_events.h"
#include "execute/trace_ops.h"
#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"

namespace foreflow::execute {
namespace {

constexpr double kMicrosecond = 1e-6;
constexpr Seconds kShortest{1e-12}, kLongest{1e6};  // of a kernel: other numbers are no times
constexpr size_t kLargest = 4'000'000'000;          // bytes of a trace, uncompressed

// The ranges that were open on the thread of a launch.
struct Launch {
  int op          = -1;  // into TraceEvents::ops: the innermost that is one of ours, or a message
  int innermost   = -1;  // the innermost of all
  bool is_message = false;
};

// The results of look-ups for the ops of a trace. Each op is looked up once.
class Lookup {
 public:
  explicit Lookup(const TraceEvents& events) : events_(events), found_(events.ops.size()), known_(events.ops.size()) {
    for (const auto& [op, facts] : events.messages) {
      found_[op] = message_from(facts);
      known_[op] = found_[op].has_value();
    }
  }
  const std::optional<cost::Measurement>& at(int op) {
    const auto index = static_cast<size_t>(op);
    if (!known_[index]) {
      const HostOp& one = events_.ops[index];
      found_[index]     = one.name.starts_with("nccl:") ? message_from(one, events_.world) : compute_of(one);
      known_[index]     = true;
    }
    return found_[index];
  }

 private:
  const TraceEvents& events_;
  std::vector<std::optional<cost::Measurement>> found_;
  std::vector<bool> known_;
};

bool is_backward(const HostOp& op) { return op.name.starts_with("autograd::engine::evaluate_function"); }
bool is_communication(const HostOp& op) { return op.name.starts_with("nccl:") || op.name == "record_param_comms"; }

// Times from launch to launch of the hosts' threads.
struct Gaps {
  std::vector<Seconds> kernel, gradient, collective;
};

// Goes through the ops and calls of one thread in the order of time.
class Thread {
 public:
  Thread(const TraceEvents& events, Lookup& lookup, std::map<int64_t, Launch>& launches, Gaps& gaps)
      : events_(events), lookup_(lookup), launches_(launches), gaps_(gaps) {}

  void open(int op) {
    close_until(nth(events_.ops, op).start);
    open_.push_back(op);
  }
  void call(const RuntimeCall& call) {
    close_until(call.start);
    if (call.waits) last_.reset();
    if (!call.launches) return;
    const Launch launch = launch_here();
    if (last_) gap(launch).push_back(Seconds((call.start - *last_) * kMicrosecond));
    last_                       = call.start;
    launches_[call.correlation] = launch;
  }

 private:
  const HostOp& op_at(int op) const { return nth(events_.ops, op); }
  void close_until(double time) {
    while (!open_.empty() && op_at(open_.back()).end < time) open_.pop_back();
  }
  Launch launch_here() {
    Launch launch;
    if (open_.empty()) return launch;
    launch.innermost = open_.back();
    for (size_t i = open_.size(); i-- > 0;) {
      launch.is_message = launch.is_message || is_communication(op_at(open_[i]));
      if (launch.op < 0 && lookup_.at(open_[i])) launch.op = open_[i];
    }
    return launch;
  }
  std::vector<Seconds>& gap(const Launch& launch) {
    if (launch.is_message) return gaps_.collective;
    const bool backward = std::any_of(open_.begin(), open_.end(), [&](int op) { return is_backward(op_at(op)); });
    return backward ? gaps_.gradient : gaps_.kernel;
  }

  const TraceEvents& events_;
  Lookup& lookup_;
  std::map<int64_t, Launch>& launches_;
  Gaps& gaps_;
  std::vector<int> open_;
  std::optional<double> last_;  // the launch before
};

// Ops before calls that begin with them, outer ops before inner ones.
struct Moment {
  double time, end;
  int op, call;  // one of them; -1: the other
  auto key() const { return std::tuple(time, call >= 0, -end, op, call); }
};

std::map<int64_t, Launch> launches_of(const TraceEvents& events, Lookup& lookup, Gaps& gaps) {
  std::map<int64_t, std::vector<Moment>> threads;
  for (size_t i = 0; i < events.ops.size(); ++i)
    threads[events.ops[i].thread].push_back({events.ops[i].start, events.ops[i].end, static_cast<int>(i), -1});
  for (size_t i = 0; i < events.calls.size(); ++i)
    threads[events.calls[i].thread].push_back({events.calls[i].start, 0, -1, static_cast<int>(i)});
  std::map<int64_t, Launch> launches;
  for (auto& [id, moments] : threads) {
    std::sort(moments.begin(), moments.end(), [](const Moment& a, const Moment& b) { return a.key() < b.key(); });
    Thread thread(events, lookup, launches, gaps);
    for (const Moment& moment : moments)
      moment.op >= 0 ? thread.open(moment.op) : thread.call(nth(events.calls, moment.call));
  }
  return launches;
}

// The times of one signature, by trace, in the order of the executions.
struct Times {
  cost::Measurement work;
  std::map<size_t, std::vector<Seconds>> of_trace;
};
using TimesBySignature = std::map<std::pair<bool, std::string>, Times>;  // computes before messages

void add_time(TimesBySignature& times, const cost::Measurement& work, size_t trace, Seconds time) {
  const bool is_message = work.kind == cost::Measurement::Kind::message;
  Times& found          = times.try_emplace({is_message, work.signature}, Times{work, {}}).first->second;
  found.of_trace[trace].push_back(time);
}

// The facts that a trace states about its run.
struct RankOfRun {
  std::string file, device;
  int rank, world;
};

// Fails if the traces cannot be those of different ranks of one run.
void check_same_run(const RankOfRun& first, const RankOfRun& second) {
  if (first.world != second.world)
    throw Error(second.file, fmt::format("its run has {} ranks, and that of {} has {}; the traces should be of one run",
                                         second.world, first.file, first.world));
  if (first.rank == second.rank)
    throw Error(second.file, fmt::format("is of rank {}, as {} is; the trace of each rank should be given once",
                                         second.rank, first.file));
  if (!first.device.empty() && !second.device.empty() && first.device != second.device)
    throw Error(second.file, fmt::format("ran on {}, and {} on {}; the traces should be of one run on equal devices",
                                         second.device, first.file, first.device));
}

// The traces that state their rank.
using Run = std::vector<RankOfRun>;

void add_rank(const TraceEvents& events, const std::string& file, Run& run) {
  if (!events.in_run) return;
  RankOfRun added{file, events.device, events.rank, events.world};
  for (const RankOfRun& before : run) check_same_run(before, added);
  run.push_back(std::move(added));
}

void read_one(const std::string& file, size_t trace, TraceMeasurements& all, TimesBySignature& times, Gaps& gaps,
              Run& run) {
  TraceEvents events = read_events(read_maybe_compressed(file, kLargest), file);
  add_rank(events, file, run);
  if (!events.device.empty()) all.devices.insert(events.device);
  std::sort(events.kernels.begin(), events.kernels.end(),
            [](const TracedKernel& a, const TracedKernel& b) { return a.start < b.start; });
  Lookup lookup(events);
  const std::map<int64_t, Launch> launches = launches_of(events, lookup, gaps);
  std::map<int, Seconds> computes;  // by op: the sum of its kernels
  for (const TracedKernel& kernel : events.kernels) {
    const Seconds time(kernel.duration * kMicrosecond);
    if (!(time >= kShortest) || time > kLongest) continue;
    all.all += time;
    const auto launch = launches.find(kernel.correlation);
    const int op      = launch == launches.end() ? -1 : launch->second.op;
    auto work         = kernel.message ? message_from(*kernel.message) : std::nullopt;
    if (!work && op >= 0) work = lookup.at(op);
    const bool is_message = work && work->kind == cost::Measurement::Kind::message;
    if (!work || is_message != kernel.nccl) {
      const int inner = launch == launches.end() ? -1 : launch->second.innermost;
      all.others[inner < 0 ? "" : nth(events.ops, inner).name] += time;
      continue;
    }
    all.matched += time;
    if (is_message) {
      add_time(times, *work, trace, time);
    } else {
      computes[op] += time;
    }
  }
  for (const auto& [op, time] : computes) add_time(times, *lookup.at(op), trace, time);
}

// The k-th execution of a message counts with its shortest time, if all ranks have as many executions.
std::vector<Seconds> counted(const Times& times, size_t traces) {
  const std::vector<Seconds>& first = times.of_trace.begin()->second;
  const bool in_pairs               = times.of_trace.size() == traces &&
                        std::all_of(times.of_trace.begin(), times.of_trace.end(),
                                    [&](const auto& one) { return one.second.size() == first.size(); });
  std::vector<Seconds> all;
  if (times.work.kind == cost::Measurement::Kind::compute || !in_pairs) {
    for (const auto& [trace, some] : times.of_trace) all.insert(all.end(), some.begin(), some.end());
    return all;
  }
  all = first;
  for (const auto& [trace, some] : times.of_trace) {
    for (size_t k = 0; k < all.size(); ++k) all[k] = std::min(all[k], some[k]);
  }
  return all;
}

HostTime host_time(const std::vector<Seconds>& gaps) {
  if (gaps.empty()) return {};
  return {cost::median(gaps), static_cast<int64_t>(gaps.size())};
}

}  // namespace

bool is_trace(const std::string& file) { return file.ends_with(".json") || file.ends_with(".json.gz"); }

TraceMeasurements read_traces(const std::vector<std::string>& files) {
  TraceMeasurements all;
  TimesBySignature times;
  Gaps gaps;
  Run run;
  for (size_t trace = 0; trace < files.size(); ++trace) read_one(files[trace], trace, all, times, gaps, run);
  for (const auto& [key, one] : times) {
    cost::Measurement measured        = one.work;
    const std::vector<Seconds> counts = counted(one, files.size());
    measured.time                     = cost::median(counts);
    measured.fastest                  = *std::min_element(counts.begin(), counts.end());
    measured.count                    = static_cast<int64_t>(counts.size());
    all.measurements.push_back(std::move(measured));
  }
  if (all.measurements.empty())
    throw Error(files.empty() ? "trace" : files.front(),
                "no kernel can be matched to an op with shapes; profile with record_shapes=True");
  all.kernel     = host_time(gaps.kernel);
  all.gradient   = host_time(gaps.gradient);
  all.collective = host_time(gaps.collective);
  all.ranks      = static_cast<int>(files.size());
  all.world      = run.empty() ? 0 : run.front().world;
  return all;
}

}  // namespace foreflow::execute
