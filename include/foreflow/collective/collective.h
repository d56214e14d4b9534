// Collective operations as data: which rank sends which part of the buffer to which rank, in which step.
// Pure combinatorics over ranks 0..n-1 and the nodes they sit in; no devices, no links, no time but the textbook
// formula.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/registry.h"
#include "foreflow/base/units.h"

namespace foreflow::collective {

// `bytes` of a collective means: all-reduce, broadcast, reduce: the buffer of one rank; all-gather, reduce-scatter: the
// full vector (n shards); gather, scatter: the full vector at the root; all-to-all: the send buffer of one rank; send:
// the message; shift: what one rank has. Rooted kinds: rank 0 is the root. Send: rank 0 sends to rank 1. Shift: every
// rank sends all it has to the next, the last to the first (sendrecv of nccl-tests).
enum class Kind { send, all_reduce, reduce_scatter, all_gather, broadcast, reduce, gather, scatter, all_to_all, shift };
constexpr int kKinds = static_cast<int>(Kind::shift) + 1;  // `shift` is the last one

// What is known of a kind of collectives. The rows are in the order of Kind.
struct KindDef {
  std::string_view name;  // "all_reduce"
  Kind kind;
  std::string_view remark = {};       // what help says beside the name, blank in front
  std::vector<std::string_view> ops;  // of DistIR, that are carried out by it
  // Whether its bytes are those of the op's first result; otherwise of its first operand.
  bool counts_result = false;
  // Whether rank 0 is the device of the op's first result; otherwise of its first operand.
  bool root_receives = false;
  // Whether each rank has `bytes` of its own to move, so that the chunks of a plan are of ranks * bytes in all.
  bool of_each = false;
  // Whether each rank has something else for every other rank, which may be sent at once.
  bool every_pair = false;
  // Bus bandwidth over algorithm bandwidth, as nccl-tests defines it (doc/PERFORMANCE.md).
  double (*bus_factor)(int ranks) = nullptr;
  // One message for each pair, if that does it: the chunk (of Plan) that `from` has for `to`, -1 for none, and how many
  // chunks there are. Null: it cannot be done in this way.
  int (*message)(int ranks, int from, int to) = nullptr;
  int (*chunks)(int ranks)                    = nullptr;
  bool adds                                   = false;  // the receiver of a message adds it
};

const Registry<KindDef>& kinds();
const KindDef& def_of(Kind kind);
std::string_view name(Kind kind);
// Throws Error with the nearest name when there is no such kind.
Kind kind_named(std::string_view name, const std::string& where);

// Where the ranks sit.
struct Group {
  int ranks = 0;
  // node[rank], numbered from 0 by first appearance; nodes may hold unequal numbers of ranks. Empty: one rank a node.
  std::vector<int> node = {};
  // rail[rank]: which of its node's NICs it uses, numbered from 0 by first appearance. Empty: each rank has its own.
  std::vector<int> rail = {};
  // Channels: the orders in which rings go around the ranks, each with an equal part of the bytes. Empty: one ring,
  // node by node.
  std::vector<std::vector<int>> rings = {};
  // Devices that are no ranks and can pass on what rank 0 sends to rank 1: they have the numbers ranks, ranks + 1, ...
  // in pairs, one of rank 0's node and one of rank 1's node on the same rail. `node` and `rail` know them too.
  int relays = 0;
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
  Wire near;    // inside a node: the port of each rank
  Wire far;     // between nodes: each NIC of a node
};

// One rank sends `chunk` to another; with `reduce` the receiver adds it to its own, else replaces it.
struct Transfer {
  int from, to;
  int chunk;
  bool reduce;
};

// The exact data movement, for proofs: `steps[s]` happen at the same time; the buffer has `chunks` equal parts, and
// part c belongs to rank c * ranks / chunks. All-to-all: ranks * ranks chunks, where c is what rank c / ranks has for
// rank c % ranks; a rank begins with `ranks` of them. Shift: ranks chunks, where c is what rank c has.
struct Plan {
  int chunks = 1;
  std::vector<std::vector<Transfer>> steps;
};

// The share of Kind's `bytes` in one chunk.
double chunk_share(const Plan& plan, Kind kind, int ranks);

struct Flow {
  int from, to;
  double share;  // of Kind's `bytes`
};

// After the latencies of its steps, all `flows` run concurrently at one common pace (the ring moves at the pace of its
// slowest link) until each has moved its `share` of the bytes. A pipeline fills first: its first chunk, of the share
// `head`, crosses the flows one after the other, all but the slowest flow, which is counted as it runs: on equal links
// that adds head * (flows - 1) * bytes / bandwidth.
struct Phase {
  int near_steps = 0;       // messages inside a node that wait for each other: each costs the longest such latency
  int far_steps  = 0;       // messages between nodes that do
  std::vector<Flow> flows;  // no two between the same ranks
  double head = 0;
};

// What the simulator needs: phases one after another; all members enter a phase together.
struct FlowPlan {
  std::vector<Phase> phases;
};

struct AlgorithmDef {
  std::string_view name;
  std::string_view doc;
  std::string_view source;
  std::vector<Kind> kinds;
  // Whether it works among these ranks; `kind` is one of `kinds`.
  bool (*supports)(Kind kind, const Group& group);
  // Both ask for a task that is supported.
  Plan (*plan)(const Task& task);
  FlowPlan (*flows)(const Task& task);
  bool wants_relays = false;  // whether Group::relays are of use
  // The switches merge messages on their way: `flows` state what the ports carry, not who sends to whom.
  bool in_switch = false;

  bool does(Kind kind) const;
  bool supports_task(const Task& task) const { return does(task.kind) && supports(task.kind, task.group); }
};

// The flows of a plan whose steps wait for each other: a phase of its own for each step. What `flows` of an algorithm
// is where nothing better is known.
FlowPlan stepwise(const Plan& plan, const Task& task);

const Registry<AlgorithmDef>& algorithms();

// The algorithm used when a scenario names none for `kind`: the first of the table. It supports every group (two ranks
// for a send).
const AlgorithmDef& default_algorithm(Kind kind);

// Where messages meet: what they cross, in one direction, and share evenly by their bytes.
struct Network {
  size_t lines = 0;
  std::function<BytesPerSecond(int line)> bandwidth;
  // Makes `crossed` the lines between two ranks or relays, one that is crossed twice twice; returns a message's
  // latency.
  std::function<Seconds(int from, int to, std::vector<int>& crossed)> way;
};

// What a task costs when nobody else uses the network: the latencies of the steps that wait for each other, and the
// bytes at the busiest line.
struct Cost {
  Seconds latency;
  Seconds transfer;
  Seconds total() const { return latency + transfer; }
};
Cost closed_form(const AlgorithmDef& algorithm, const Task& task, const Network& network);

// The same with the textbooks' lines: each rank has one port into its node and each NIC one out of it, of the wires'
// bandwidth, each way. For one node, one rank a node and equal nodes these are their formulas, which
// tests/property/collective_formulas_test.cpp states one by one.
Cost closed_form(const AlgorithmDef& algorithm, const Task& task);

// The algorithm whose closed form is least for a task, the first of equals: what the row `auto` does. In the manner of
// NCCL's tuning model (src/graph/tuning.cc): latencies of the steps plus bytes over bandwidth.
const AlgorithmDef& choose(const Task& task);

// `wanted`, or the default where `wanted` does not support the task; for `auto` the least closed form on `network`.
const AlgorithmDef& usable(const AlgorithmDef& wanted, const Task& task, const Network& network);

// KindDef::bus_factor.
double bus_factor(Kind kind, int ranks);

// The steps of a plan and the phases of its flows, for reading and for golden tests.
std::string print(const Plan& plan);
std::string print(const FlowPlan& plan);

}  // namespace foreflow::collective
