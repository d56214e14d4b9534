// Communication libraries as tables: which algorithms each has, under which protocols, and what these cost. A library
// takes what its own model predicts to be fastest.
//
// Example: NCCL 2.18 all-reduces 4 KB among 8 A100 of a server by a ring under its protocol LL (6.6 us to begin, 0.6 us
// a step, half of the bandwidth), and 1 GB by a ring under Simple (8.4 us, 3.4 us a step, all of the bandwidth).
#pragma once

#include <array>
#include <optional>

#include "foreflow/collective/collective.h"

namespace foreflow::collective {

// By Medium.
template <class T>
using ByMedium = std::array<T, kMedia>;

// The latencies that links of platforms state are those of a step of NCCL's ring under Simple (src/graph/tuning.cc,
// hwLat). A step of another protocol takes as much longer or shorter on every platform as it does here.
inline constexpr ByMedium<Seconds> kUsualStep = {Seconds(3.4e-6), Seconds(5.7e-6), Seconds(14e-6)};

// The most that a rank sends, among the ranks of one node, of two or three, and of more; 0: as much as the wire takes.
using Most = std::array<BytesPerSecond, 3>;

// An algorithm under a protocol.
struct Way {
  std::string_view algorithm;        // a row of algorithms()
  std::string_view protocol   = {};  // "LL128"; empty: the library has only one
  std::vector<Kind> kinds     = {};  // empty: all that the algorithm does
  Seconds start               = {};  // from the call to the first message
  ByMedium<Seconds> step      = kUsualStep;
  ByMedium<double> efficiency = {1, 1, 1};  // share of a wire's bandwidth that is left for data; 0: not used there
  Most most                   = {};
  int nvlink_from = 0, nvlink_to = 99;  // for devices of these generations of NVLink; 0: without it
};

struct LibraryDef {
  std::string_view name;  // "nccl@2.18"; without a version where none matters
  std::string_view doc;
  std::string_view source;
  std::vector<Way> ways;
  std::string_view missing = {};     // what it does and this row cannot say
  bool is_measured         = false;  // the measurements of collectives that calibrations were fitted to are of it
};

const Registry<LibraryDef>& libraries();

// The flows of an algorithm of the table under a protocol. Requires: the task is supported.
FlowPlan flows_of(const Way& way, const AlgorithmDef& algorithm, const Task& task);

// What a collective among ranks of one node takes by measurement; nothing where there is none.
using MeasuredTime = std::function<std::optional<Seconds>(const Task& task)>;

// Each library as an algorithm that chooses one of its ways, by closed forms: "nccl@2.18", whose choices are
// "ring LL", "ring LL128", ... For tasks that it has no way for it takes the default.
const Registry<AlgorithmDef>& library_algorithms();

// The same where collectives inside a node of libraries that were measured take that: `suffix` is added to the names.
// What is chosen does not change. The rows are used for as long as the program runs.
std::vector<AlgorithmDef> library_algorithms(const std::string& suffix, const MeasuredTime& measured);

// A row of algorithms() or library_algorithms(). Throws Error at `where`.
const AlgorithmDef& algorithm_named(std::string_view name, const std::string& where);

}  // namespace foreflow::collective
