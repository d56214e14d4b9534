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

// One value for each Medium, in the order of its enumerators.
template <class T>
using ByMedium = std::array<T, kMedia>;

// The latencies that links of platforms state are those of a step of NCCL's ring under Simple (src/graph/tuning.cc,
// hwLat). A step of another protocol takes as much longer or shorter on every platform as it does here.
inline constexpr ByMedium<Seconds> kUsualStep = {Seconds(3.4e-6), Seconds(5.7e-6), Seconds(14e-6)};

// The highest rate at which a rank sends: [0] if all ranks are in one node, [1] if they are in two or three, [2] if
// they are in more. 0 means that only the wire limits it.
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

// The versions of one library follow each other, the oldest first.
const Registry<LibraryDef>& libraries();

// Finds the row of libraries() named `name`. Without a version it is the newest that the table has: "nccl" is
// "nccl@2.23". Throws Error at `where` with the nearest name.
const LibraryDef& library_called(std::string_view name, const std::string& where);
// All names that library_called() knows: those of the rows, then those without a version.
std::vector<std::string> library_names();

// Returns the flows of `algorithm`, a row of algorithms(), under the protocol of `way`. Requires: the algorithm
// supports the task.
FlowPlan flows_of(const Way& way, const AlgorithmDef& algorithm, const Task& task);

// Returns the measured time of a collective among ranks of one node, or nothing if it was not measured.
using MeasuredTime = std::function<std::optional<Seconds>(const Task& task)>;

// One row for each library: an algorithm that chooses, for each task, the way whose closed form is shortest. The row
// "nccl@2.18" chooses among "ring LL", "ring LL128", and so on. If the library has no way for a task, the row takes
// default_algorithm().
const Registry<AlgorithmDef>& library_algorithms();

// Returns the rows of library_algorithms() with measured times:
//
//   1. Each row chooses the same way as before, by the same closed forms.
//   2. The chosen way takes the time of `measured` if the library is the one that was measured
//      (LibraryDef::is_measured), all ranks are in one node, the algorithm has one phase, and `measured` returns a
//      time.
//   3. `suffix` is appended to the name of each library.
//
// Requires: the caller keeps the rows for as long as the program runs, because choices are references into them.
std::vector<AlgorithmDef> library_algorithms(const std::string& suffix, const MeasuredTime& measured);

// Finds the row named `name` in library_algorithms() or algorithms(). Throws Error at `where` if neither has it.
const AlgorithmDef& algorithm_named(std::string_view name, const std::string& where);

}  // namespace foreflow::collective
