// What a person wants to know of a Timeline: how long, how busy, how much memory, which link, what to improve first.
// Pure arithmetic over the three values; nothing here knows how they were made or how the answer is written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foreflow/base/json.h"
#include "foreflow/base/units.h"
#include "foreflow/platform/platform.h"
#include "foreflow/stream/program.h"
#include "foreflow/stream/timeline.h"

namespace foreflow::report {

// What the timeline cannot tell about one of several jobs that share the platform.
struct SharedJob {
  std::string name;
  std::string dtype;
  std::string placement;
  Seconds start;
  int iterations = 1;
  double samples = 0;  // in all iterations
  Seconds alone;       // what they take with the platform to themselves
};

// What the timeline cannot tell about the work that was timed.
struct Job {
  std::string name;
  std::string engine;    // "analytic", "simgrid"
  double samples = 0;    // in one iteration
  double tokens  = 0;    // in one iteration; 0: not a sequence model
  Flops model_flops;     // what the model needs, over all devices
  Flops hardware_flops;  // what the devices execute: with recomputation
  std::string dtype;     // whose peak the MFU is measured against: "f16"
  bool training = true;
  std::string placement;            // "packed"
  std::string allocator = "exact";  // "caching": reports replay what CachingAllocator would do
  Json scenario_echo;
  Json cost_provenance;
  std::vector<SharedJob> jobs;  // as in Program::jobs; samples, tokens and flops above are then those of all jobs
};

// Streams of one device may overlap: each figure is the length of a union, so busy <= compute + communication, and
// busy + idle is the iteration time.
struct DeviceSummary {
  std::string name;  // "D1"
  // The numbers of the devices that do the same at the same time, for which this one stands; itself the first.
  std::vector<stream::DeviceRange> members;
  std::string place;  // the platform's name for it: "node0-gpu0"
  std::string node;   // where that is: "node0"
  int job = 0;        // index into Summary::jobs
  Seconds busy, compute, communication, idle;
  Bytes peak_memory, capacity;
  bool fits = true;

  int64_t count() const;  // of members
};

// The devices of a job on one node.
struct NodeSummary {
  std::string name;
  int job = 0;                   // index into Summary::jobs
  std::vector<int32_t> devices;  // their numbers
};

// Two communications that had flows on a link at the same time; both names are equal where two executions of one did.
struct LinkSharing {
  std::string first, second;  // "MPIAllreduce of 64 MiB among 8"
  Seconds seconds;
};

struct LinkSummary {
  static constexpr size_t kIntervals = 100;

  std::string name, kind;
  std::vector<int32_t> members;  // links that carried the same for as long: indices into platform::Platform::links()
  Bytes bytes;
  Seconds busy;            // with at least one flow on it
  double utilization = 0;  // bytes / (bandwidth x iteration time), 0..1
  // Only of an observed run (simulate::Options::observe):
  std::vector<double> usage       = {};  // utilization in each of kIntervals equal parts of the iteration
  std::vector<LinkSharing> shared = {};  // longest first
};

// All executions of one communication among groups of one size.
struct CollectiveSummary {
  std::string name;             // the op: "MPIAllreduce"
  std::string kind, algorithm;  // "all_reduce", "ring"
  int ranks = 0;
  Bytes bytes;           // of one execution, as collective::Kind defines it
  int64_t count = 0;     // executions
  Seconds time;          // of all executions, each from the arrival of its last member
  BytesPerSecond algbw;  // bytes x count / time
  BytesPerSecond busbw;  // algbw x collective::bus_factor
  Seconds contention;    // the part of `time` that others on the same links cost
  Seconds waiting;       // before `time`: of the mean member for the last one, over all executions
  std::string late;      // the stream that was waited for longest; empty: none
};

// Time in one kind of op, averaged over the devices.
struct OpTime {
  std::string name;
  std::string family;
  Seconds seconds;
};

// A stretch of the critical path: `count` equal items in a row on one stream.
struct Segment {
  std::string device;  // the stream: "D1" or "D1.comm"
  std::string what;
  Seconds seconds;
  int64_t count      = 1;
  Seconds contention = {};  // the part of `seconds` that others on the same links cost
};

// One of several jobs. It is slowed down by what the others do to the links that it uses.
struct JobSummary {
  SharedJob job;
  Seconds together;               // from its start to its end beside the others
  double slowdown           = 1;  // together / alone
  double samples_per_second = 0;
  bool fits                 = true;
};

struct EventCounts {
  int64_t distinct = 0;
  int64_t executed = 0;
};

struct Summary {
  Job job;
  std::string platform;
  Seconds iteration_time;
  double samples_per_second           = 0;
  double tokens_per_second_per_device = 0;
  FlopsPerSecond model_rate;     // per device
  FlopsPerSecond hardware_rate;  // per device
  double mfu           = 0;      // model flops / (time x the sum of the devices' peaks), 0..1
  bool fits            = true;
  int64_t device_count = 0;                    // of all that `devices` stand for
  std::vector<DeviceSummary> devices;          // as in Program::devices
  std::vector<NodeSummary> nodes;              // by job, in the order in which its devices come to them
  std::vector<LinkSummary> links;              // those that carried something, in the platform's order of their first
  std::vector<OpTime> ops;                     // longest first
  std::vector<CollectiveSummary> collectives;  // those with the most time first
  std::vector<Segment> critical_path;          // in time order; the segments add up to the iteration time
  std::vector<JobSummary> jobs;                // as in Program::jobs; empty where there is one only
  EventCounts events;
};

// `timeline` is what an engine made of `program` on `platform`.
Summary summarise(const Job& job, const stream::Program& program, const stream::Timeline& timeline,
                  const platform::Platform& platform);

}  // namespace foreflow::report
