// Collective operations as data: which rank sends which part of the buffer to which rank, in which step. Pure
// combinatorics over ranks 0..n-1 and the nodes they sit in. Knows no devices and no links, and no time except closed
// forms.
//
// Example: a ring all-reduce of 4 ranks has a plan of 4 chunks and 6 steps. In the first 3 steps every rank sends a
// chunk to its successor, which adds it to its own, so that rank r then has the sum of chunk r; 3 more steps pass the
// sums around. As flows it is one phase: each rank sends 2 * 3/4 of the buffer to its neighbour.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/registry.h"
#include "foreflow/base/units.h"

namespace foreflow::collective {

// A kind of collective. The size of a collective over n ranks, `bytes`, is counted as nccl-tests does:
//   - all_reduce, broadcast, reduce: the buffer of one rank;
//   - all_gather, reduce_scatter: the full vector, which is n shards;
//   - gather, scatter: the full vector at the root;
//   - all_to_all: the send buffer of one rank;
//   - send: the message, from rank 0 to rank 1;
//   - shift: the buffer of one rank, which every rank sends to the next and the last to the first (sendrecv in
//     nccl-tests).
// The root of a rooted kind is rank 0.
enum class Kind { send, all_reduce, reduce_scatter, all_gather, broadcast, reduce, gather, scatter, all_to_all, shift };
constexpr int kKinds = static_cast<int>(Kind::shift) + 1;  // `shift` is the last one

// The properties of a kind of collective. The rows are in the order of Kind.
struct KindDef {
  std::string_view name;  // "all_reduce"
  Kind kind;
  std::string_view remark = {};       // what --help adds to the name, with a leading blank
  std::vector<std::string_view> ops;  // DistIR ops that perform this collective
  // True: `bytes` is the size of the op's first result; false: of its first operand.
  bool counts_result = false;
  // True: rank 0 is the device of the op's first result; false: of its first operand.
  bool root_receives = false;
  // True: each rank moves `bytes` of its own, so the chunks of a plan add up to ranks * bytes.
  bool of_each = false;
  // True: each rank has different data for every other rank, all of which may be sent at once.
  bool every_pair = false;
  // Bus bandwidth divided by algorithm bandwidth, as nccl-tests defines them (doc/PERFORMANCE.md).
  double (*bus_factor)(int ranks) = nullptr;
  // For kinds that one direct message per pair of ranks completes: the chunk of Plan that `from` sends to `to` (-1:
  // none), and the number of chunks. Null for other kinds.
  int (*message)(int ranks, int from, int to) = nullptr;
  int (*chunks)(int ranks)                    = nullptr;
  bool adds                                   = false;  // the receiver of such a message adds it to its own data
  // True: libraries have no algorithm of their own for it, and make it of sends and receives.
  bool messages = false;
};

const Registry<KindDef>& kinds();
const KindDef& def_of(Kind kind);
// The kinds that libraries make of sends and receives (KindDef::messages), in the order of the rows.
std::vector<Kind> message_kinds();
std::string_view name(Kind kind);
// Throws Error with the nearest name when there is no such kind.
Kind kind_named(std::string_view name, const std::string& where);

// The ranks of a collective and how they are distributed over nodes.
struct Group {
  int ranks = 0;
  // node[rank], numbered from 0 by first appearance. Nodes may have different numbers of ranks. Empty: one rank per
  // node.
  std::vector<int> node = {};
  // rail[rank]: the NIC of its node that it uses, numbered from 0 by first appearance. Empty: each rank has a NIC of
  // its own.
  std::vector<int> rail = {};
  // The ring of each channel, as an order of the ranks; every channel carries an equal part of the bytes. Empty: one
  // ring that visits the nodes one after the other.
  std::vector<std::vector<int>> rings = {};
  // Number of relays: devices that are not ranks but can forward what rank 0 sends to rank 1. They are numbered ranks,
  // ranks + 1, ... in pairs: one in the node of rank 0 and one in the node of rank 1, both on one rail. `node` and
  // `rail` include them.
  int relays            = 0;
  bool nvls             = false;  // the switches inside nodes reduce and multicast (NVLink SHARP)
  bool sharp            = false;  // the switches between nodes reduce and multicast (SHARP)
  int nvlink_generation = 0;      // of the oldest device; 0: without NVLink, or unknown
  std::string device    = {};     // the kind of all devices, "A100-SXM4-80GB"; empty: unknown, or not all are of one
};

// The kind of hardware that carries a message. If a message crosses several kinds, the slowest part of its way counts.
// A library states a latency and an efficiency for each medium.
enum class Medium : uint8_t { nvlink, bus, network };  // bus: PCIe, memory, links between sockets
constexpr int kMedia = static_cast<int>(Medium::network) + 1;

// Latency and bandwidth of one message, in one direction.
struct Wire {
  Seconds latency;
  BytesPerSecond bandwidth;
  Medium medium = Medium::network;
};

struct Task {
  Kind kind;
  Group group;
  Bytes bytes;  // as Kind defines it
  Wire near;    // inside a node: the port of each rank
  Wire far;     // between nodes: each NIC of a node
};

// One rank sends `chunk` to another, which adds it to its own chunk (`reduce`) or replaces its own by it.
struct Transfer {
  int from, to;
  int chunk;
  bool reduce;
};

// The exact data movement, which tests use to prove an algorithm correct. All transfers of steps[s] happen at the same
// time. The buffer is cut into `chunks` equal parts:
//   - all_to_all: ranks * ranks chunks; chunk c is what rank c / ranks has for rank c % ranks, so each rank begins with
//     `ranks` chunks;
//   - shift: `ranks` chunks; chunk c is what rank c has;
//   - all others: chunk c belongs to rank c * ranks / chunks.
struct Plan {
  int chunks = 1;
  std::vector<std::vector<Transfer>> steps;
};

// The size of one chunk as a share of Kind's `bytes`.
double chunk_share(const Plan& plan, Kind kind, int ranks);

struct Flow {
  int from, to;
  double share;  // of Kind's `bytes`
};

// A part of a collective in which the same flows run. It takes, one after the other:
//   1. the latencies of its dependent steps;
//   2. the pipeline fill, if `head` > 0: the first chunk, of size head * bytes, crosses the flows one by one. The
// slowest flow is not counted, because its own transfer in 3 includes it. On equal links it takes (flows - 1) * head *
// bytes / bandwidth;
//   3. the transfer: all flows run concurrently at one common pace, as a ring moves at the pace of its slowest link,
//      until each has moved its `share`.
//
// A library's protocol changes all three: each step takes `near_latency` or `far_latency` times the latency of its
// message, shares hold what travels besides the data, and the transfer takes `least` or longer.
struct Phase {
  int near_steps = 0;       // dependent messages inside nodes; each costs the largest latency of such a message
  int far_steps  = 0;       // dependent messages between nodes, likewise
  std::vector<Flow> flows;  // no two between the same ranks
  double head         = 0;
  double near_latency = 1, far_latency = 1;
  Seconds least{};  // of the task at hand
};

// The form that is simulated: phases run one after the other, and all members enter a phase together.
struct FlowPlan {
  std::vector<Phase> phases;
  Seconds start{};  // passes before the first phase
};

struct Cost;

struct AlgorithmDef {
  std::string_view name;
  std::string_view doc;
  std::string_view source;
  std::vector<Kind> kinds;
  // True when it works for this group. Requires: `kind` is one of `kinds`.
  bool (*supports)(Kind kind, const Group& group);
  // Both require a supported task.
  std::function<Plan(const Task& task)> plan;
  std::function<FlowPlan(const Task& task)> flows;
  bool wants_relays = false;  // whether it can use Group::relays
  // Switches merge messages on the way, so `flows` describes the load of each port and not who sends to whom.
  bool in_switch = false;
  // For algorithms whose `flows` of every kind with KindDef::every_pair are one phase without a head, in which each
  // rank sends each other rank bytes / ranks: the number of dependent steps of that phase. Null for other algorithms.
  int (*all_pairs_steps)(int ranks) = nullptr;
  // True: an algorithm, or an algorithm under a protocol, that only libraries take; `auto` does not.
  bool is_of_libraries = false;
  // For rows that stand for one of several algorithms, such as `auto` and libraries: the one that runs, given what each
  // of them costs. It outlives the row. Null: the row itself.
  std::function<const AlgorithmDef&(const Task& task, const std::function<Cost(const AlgorithmDef&)>& cost)> choose =
      nullptr;
  bool flows_by_bytes = false;  // whether `flows` depends on Task::bytes

  bool does(Kind kind) const;
  bool supports_task(const Task& task) const { return does(task.kind) && supports(task.kind, task.group); }
};

// The flows of a plan with one phase for each step, for algorithms whose steps depend on each other and have no better
// closed form.
FlowPlan stepwise(const Plan& plan, const Task& task);

const Registry<AlgorithmDef>& algorithms();

// The algorithm used when a scenario names none for `kind`: the first of the table. It supports every group (two ranks
// for a send).
const AlgorithmDef& default_algorithm(Kind kind);

// The resources that messages share, for closed forms. A line is anything with a bandwidth that messages cross in one
// direction: a link or a port.
struct Network {
  std::function<BytesPerSecond(int line)> bandwidth;
  // Sets `crossed` to the lines between two ranks or relays, a line that is crossed twice twice. Returns the latency of
  // a message.
  std::function<Seconds(int from, int to, std::vector<int>& crossed)> way;
  // Returns true if each message has the line for itself, however many messages cross it. If the function is empty,
  // messages share every line.
  std::function<bool(int line)> fat = nullptr;
};

// The time of a task with the network to itself: the latencies of its dependent steps, and the transfer over its
// busiest line.
struct Cost {
  Seconds latency;
  Seconds transfer;
  Seconds total() const { return latency + transfer; }
};
Cost closed_form(const AlgorithmDef& algorithm, const Task& task, const Network& network);

// The same on the network that textbooks assume: each rank has one port into its node and each NIC one port out of it,
// in each direction, with the bandwidths of Task::near and Task::far. For a single node, one rank per node, and equal
// nodes the results are the textbook formulas, which tests/property/collective_formulas_test.cpp states one by one.
Cost closed_form(const AlgorithmDef& algorithm, const Task& task);

// The algorithm with the smallest closed form for a task; of equal ones the first in the table. This is what `auto`
// selects, after NCCL's tuning model (src/graph/tuning.cc): latencies of the steps plus bytes divided by bandwidth.
const AlgorithmDef& choose(const Task& task);

// The algorithm that runs when a scenario asks for `wanted`:
//   1. the default of the kind, if `wanted` does not support the task;
//   2. of `auto` and libraries: what they choose by closed forms on `network`;
//   3. else `wanted`.
const AlgorithmDef& usable(const AlgorithmDef& wanted, const Task& task, const Network& network);

// KindDef::bus_factor of a kind.
double bus_factor(Kind kind, int ranks);

// The steps of a plan and the phases of its flows as text, for people and golden tests.
std::string print(const Plan& plan);
std::string print(const FlowPlan& plan);

}  // namespace foreflow::collective
