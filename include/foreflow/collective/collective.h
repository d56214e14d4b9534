// Collective operations as data: which rank sends which part of the buffer to which rank, in which step.
// Pure combinatorics over ranks 0..n-1; no devices, no links, no time but the textbook closed form.
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

// What the simulator needs: after `latency_steps` message latencies, all `flows` run concurrently at one common pace
// (the ring moves at the pace of its slowest link) until each has moved its `share` of the bytes. A pipeline fills first:
// its first chunk, of the share `head`, crosses the flows one after the other, all but the slowest flow, which is counted
// as it runs: on equal links that adds head * (flows - 1) * bytes / bandwidth.
struct Flow {
  int from, to;
  double share;  // of Kind's `bytes`
};
struct FlowPlan {
  int latency_steps = 0;
  std::vector<Flow> flows;
  double head = 0;
};

struct AlgorithmDef {
  std::string_view name;
  std::string_view doc;
  bool (*supports)(Kind kind, int ranks);
  Plan (*plan)(Kind kind, int ranks);
  FlowPlan (*flows)(Kind kind, int ranks);
  // Seconds on links of equal latency (per message) and bandwidth (per direction), one rank a node; with its source.
  Seconds (*closed_form)(Kind kind, int ranks, Bytes bytes, Seconds latency, BytesPerSecond bandwidth);
};

const Registry<AlgorithmDef>& algorithms();

// The algorithm used when a scenario names none for `kind`: ring where there is one, else chain, else direct.
const AlgorithmDef& default_algorithm(Kind kind);

}  // namespace foreflow::collective
