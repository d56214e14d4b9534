// Figures computed from a timeline: iteration time, throughput, MFU, use of devices, memory and links, and the critical
// path. A pure function of program, timeline and platform; knows nothing of scenarios, engines or output formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foreflow/base/json.h"
#include "foreflow/base/units.h"
#include "foreflow/platform/platform.h"
#include "foreflow/stream/program.h"
#include "foreflow/stream/timeline.h"

namespace foreflow::report {

// Facts about one of several jobs on one platform that the timeline does not contain.
struct SharedJob {
  std::string name;
  std::string dtype;
  std::string placement;
  Seconds start;
  int iterations = 1;
  double samples = 0;  // over all iterations
  Seconds alone;       // their time with the platform to themselves
};

// Facts about the simulated work that the timeline does not contain.
struct Job {
  std::string name;
  std::string engine;     // "analytic", "simgrid"
  double samples    = 0;  // in one iteration
  double tokens     = 0;  // in one iteration; 0: not a sequence model
  double parameters = 0;  // of the model; 0: not counted
  Flops model_flops;      // work that the model requires, over all devices
  Flops hardware_flops;   // work that the devices execute, recomputation included
  std::string dtype;      // the data type whose peak the MFU refers to: "f16"
  bool training = true;
  std::string placement;            // "packed"
  std::string allocator = "exact";  // "caching": reports replay what CachingAllocator would do
  Json scenario_echo;
  Json cost_provenance;                // shares of the time of computes, by the name of a cost::Provenance
  std::vector<std::string> assumed{};  // by the cost model, about devices
  // Mean relative errors, as fractions, of the times of computes and of messages, as measured elsewhere.
  double compute_error = 0, message_error = 0;
  std::vector<SharedJob> jobs;  // as in Program::jobs; samples, tokens and flops above are then totals of all jobs
};

// Streams of one device may overlap, so each time is the length of a union of intervals. Hence
//   1. busy <= compute + communication;
//   2. busy + idle = iteration time.
struct DeviceSummary {
  std::string name;  // "D1"
  // The numbers of the devices that this entry represents: they do the same at the same time, and the first is its own.
  std::vector<stream::DeviceRange> members;
  std::string place;  // the platform's name for it: "node0-gpu0"
  std::string node;   // the node of that device: "node0"
  int job = 0;        // index into Summary::jobs
  Seconds busy, compute, communication, idle;
  // Waiting for its host (stream/host.h): the part of `idle` until something is issued, and the part of `compute`
  // between kernels. 0: the host costs nothing, or is always ahead.
  Seconds host_idle{}, host_inside{};
  Bytes peak_memory, capacity;
  bool fits = true;

  int64_t count() const;  // number of devices in `members`
};

// The devices of one job on one node.
struct NodeSummary {
  std::string name;
  int job = 0;                   // index into Summary::jobs
  std::vector<int32_t> devices;  // their numbers
};

// Two communications that had flows on a link at the same time. The names are equal for two executions of the same
// communication.
struct LinkSharing {
  std::string first, second;  // "MPIAllreduce of 64 MiB among 8"
  Seconds seconds;
};

struct LinkSummary {
  static constexpr size_t kIntervals = 100;

  std::string name, kind;
  // links with equal traffic that this entry represents: indices into platform::Platform::links()
  std::vector<int32_t> members;
  Bytes bytes;
  Seconds busy;            // time with at least one flow
  double utilization = 0;  // bytes / (bandwidth x iteration time); above 1 only without contention
  // Only when the run was observed (simulate::Options::observe):
  std::vector<double> usage       = {};  // utilization in each of kIntervals equal parts of the iteration
  std::vector<LinkSharing> shared = {};  // longest first
};

// All executions of one communication among groups of the same size.
struct CollectiveSummary {
  std::string name;             // the op: "MPIAllreduce"
  std::string kind, algorithm;  // "all_reduce", "ring"
  int ranks = 0;
  Bytes bytes;           // of one execution, as collective::Kind defines it
  int64_t count = 0;     // executions
  Seconds time;          // total over all executions, each from the arrival of its last member
  BytesPerSecond algbw;  // bytes x count / time
  BytesPerSecond busbw;  // algbw x collective::bus_factor
  Seconds contention;    // the part of `time` lost to other traffic on the same links
  // Mean time that a member waits for the last one, summed over all executions; not part of `time`.
  Seconds waiting;
  std::string late;               // the stream that the others waited for longest in total; empty: none
  std::string provenance;         // how its time was found: "simulated", or the name of a cost::Provenance
  int32_t communication = 0;      // index into Program::communications
  bool by_library       = false;  // a library chose the algorithm, which then includes its protocol: "ring LL128"
};

// Time in one kind of op, averaged over the devices.
struct OpTime {
  std::string name;
  std::string family;
  Seconds seconds;
};

// A part of the critical path: `count` equal consecutive items on one stream. Where equal microbatches were not all
// simulated, the first part of each kind includes those that were left out.
struct Segment {
  std::string device;  // the stream: "D1" or "D1.comm"
  std::string what;
  Seconds seconds;
  int64_t count      = 1;
  Seconds contention = {};  // the part of `seconds` lost to other traffic on the same links
};

// The result of one of several jobs, which slow each other down on the links that they share.
struct JobSummary {
  SharedJob job;
  Seconds together;               // from its start to its end, with the others running
  double slowdown           = 1;  // together / alone
  double samples_per_second = 0;
  bool fits                 = true;
};

struct EventCounts {
  int64_t distinct = 0;
  int64_t executed = 0;
};

// The parts of the platform that the run does not use.
struct Idle {
  int64_t devices = 0, of_devices = 0;  // that no rank runs on
  int64_t cards = 0, of_cards = 0;      // network cards that serve no device, whatever runs
  // Links between servers, each direction one, that no message of the run crossed.
  int64_t links = 0, of_links = 0;
};

struct Interval {
  Seconds low, high;
};

struct Summary {
  Job job;
  std::string platform;
  Seconds iteration_time;
  Interval interval;  // nine of ten measured iterations are expected inside, by the errors of Job
  double samples_per_second           = 0;
  double tokens_per_second_per_device = 0;
  FlopsPerSecond model_rate;     // per device
  FlopsPerSecond hardware_rate;  // per device
  double mfu           = 0;      // model flops / (time x the sum of the devices' peaks), 0..1
  bool fits            = true;
  int64_t device_count = 0;            // total of the devices that `devices` represent
  std::vector<DeviceSummary> devices;  // as in Program::devices
  std::vector<NodeSummary> nodes;      // by job, in the order in which its devices come to them
  std::vector<LinkSummary> links;      // links that carried bytes, in the platform's order of their first member
  std::vector<OpTime> ops;             // longest first
  std::vector<CollectiveSummary> collectives;  // largest time first
  std::vector<Segment> critical_path;          // in time order; the segments add up to the iteration time
  std::vector<JobSummary> jobs;                // as in Program::jobs; empty for a single job
  EventCounts events;
  Idle idle;
  // As platform::Declared has them: what was assumed of the platform, and what its file asks for in vain.
  std::vector<std::string> assumed, ignored;
};

enum class Detail : uint8_t {
  all,
  devices,  // only what says how fast the run is and which devices it takes: the figures above `links`
};

// Requires: `timeline` is the result of an engine for `program` on `platform`.
Summary summarise(const Job& job, const stream::Program& program, const stream::Timeline& timeline,
                  const platform::Platform& platform, Detail detail = Detail::all);

// The summary of a run with `periods` more periods of its steady state than `one`. `two` is the summary of the run with
// one more period. Every figure is extrapolated linearly from both. Nothing if they differ in memory, or in anything
// but figures.
std::optional<Summary> after_periods(const Summary& one, const Summary& two, int64_t periods);

}  // namespace foreflow::report
