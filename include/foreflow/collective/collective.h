// Collective operations as data: which rank sends which part of the buffer to which rank, in which step.
// Pure combinatorics over ranks 0..n-1 and the nodes they sit in; no devices, no links, no time but the textbook formula.
#pragma once

#include <string_view>
#include <vector>

#include "foreflow/base/registry.h"
#include "foreflow/base/units.h"

namespace foreflow::collective {

// `bytes` of a collective means: all-reduce, broadcast, reduce: the buffer of one rank; all-gather, reduce-scatter: the
// full vector (n shards); gather, scatter: the full vector at the root; all-to-all: the send buffer of one rank; send: the message.
// Rooted kinds: rank 0 is the root. Send: rank 0 sends to rank 1.
enum class Kind { send, all_reduce, reduce_scatter, all_gather, broadcast, reduce, gather, scatter, all_to_all };
constexpr int kKinds = 9;
std::string_view name(Kind kind);  // "all_reduce"

// Where the ranks sit.
struct Group {
  int ranks = 0;
  // node[rank], numbered from 0 by first appearance; nodes may hold unequal numbers of ranks. Empty: one rank a node.
  std::vector<int> node;
  bool nvls  = false;  // the switches inside the nodes add and multicast (NVLink SHARP)
  bool sharp = false;  // the switches between the nodes do
};

// How one message travels, in one direction.
struct Wire {
  Seconds latency;
  BytesPerSecond bandwidth;
};

struct Task {
  Kind kind;
  Group group;
  Bytes bytes;  // as Kind defines it
  Wire near;    // inside a node
  Wire far;     // between nodes
};

// One rank sends `chunk` to another; with `reduce` the receiver adds it to its own, else replaces it. All-to-all has
// separate send and receive buffers of one chunk a rank: `chunk` of the sender's goes to place `from` of the receiver's.
struct Transfer {
  int from, to;
  int chunk;
  bool reduce;
};

// The exact data movement, for proofs: `steps[s]` happen at the same time; the buffer has `chunks` equal parts.
struct Plan {
  int chunks = 1;
  std::vector<std::vector<Transfer>> steps;
};

struct Flow {
  int from, to;
  double share;  // of Kind's `bytes`
};

// After `latency_steps` message latencies, all `flows` run concurrently at one common pace (the ring moves at the pace of
// its slowest link) until each has moved its `share` of the bytes. A pipeline fills first: its first chunk, of the share
// `head`, crosses the flows one after the other, all but the slowest flow, which is counted as it runs: on equal links
// that adds head * (flows - 1) * bytes / bandwidth.
struct Phase {
  int latency_steps = 0;
  std::vector<Flow> flows;
  double head = 0;
};

// What the simulator needs: phases one after another; all members enter a phase together.
struct FlowPlan {
  std::vector<Phase> phases;
};

struct AlgorithmDef {
  std::string_view name;
  std::string_view doc;
  bool (*supports)(Kind kind, const Group& group);
  // These three ask for a task that is supported.
  Plan (*plan)(const Task& task);
  FlowPlan (*flows)(const Task& task);
  // Seconds, with its source: when every rank has a port of `near` bandwidth into its node and one of `far` bandwidth
  // out of it, in each direction.
  Seconds (*closed_form)(const Task& task);
};

const Registry<AlgorithmDef>& algorithms();

// The algorithm used when a scenario names none for `kind`: ring where there is one, else chain, else direct.
const AlgorithmDef& default_algorithm(Kind kind);

// Whether `algorithm` does `kind` among so many ranks at all, given nodes and switches that suit it.
bool can(const AlgorithmDef& algorithm, Kind kind, int ranks);

// Bus bandwidth over algorithm bandwidth, as nccl-tests defines it (doc/PERFORMANCE.md): all-reduce 2(n-1)/n;
// reduce-scatter, all-gather, all-to-all, gather, scatter (n-1)/n; broadcast, reduce, send 1.
double bus_factor(Kind kind, int ranks);

}  // namespace foreflow::collective
