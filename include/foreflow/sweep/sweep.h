// Sweeps: every point of a scenario's axes is predicted, and kept in a store as soon as it is, so that a sweep that was
// ended goes on where it was. Knows scenarios and the chain; knows nothing of programs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "foreflow/base/json.h"
#include "foreflow/scenario/axes.h"

namespace foreflow::sweep {

enum class Status : uint8_t {
  done,     // it has an answer
  failed,   // it cannot work, and `why`: a strategy that is not legal, a platform that cannot be built
  crashed,  // its worker died. Not kept in the store: the next sweep tries it again
};

struct Point {
  std::vector<size_t> choice;  // the number of its value of each axis
  Status status = Status::done;
  Json answer;      // done: an object whose members are answer_columns()
  std::string why;  // otherwise; without the scenario's file name
};

struct Result {
  Json source;                       // the scenario with its axes
  std::string version;               // of foreflow
  std::string hash;                  // of the scenario and the files that it names
  std::vector<scenario::Axis> axes;  // in the order of the scenario's text
  std::vector<Point> points;         // the last axis changes fastest
};

struct Options {
  std::string store;                                        // an SQLite file; empty: nothing is kept
  std::string version;                                      // of foreflow: a store of another version is refused
  int jobs = 1;                                             // worker processes; the result is the same for any number
  std::function<void(size_t kept, size_t total)> begun;     // how many were in the store; may be empty
  std::function<void(size_t done, size_t total)> finished;  // a point more is kept; may be empty
};

// The names of what is known of a point that is done.
const std::vector<std::string>& answer_columns();

// `source` is a scenario in `file` whose lists are axes (scenario/axes.h). Throws Error when the scenario is wrong at
// every point, when a file that it names cannot be read, and for a store that is in use, is no store, or is one of
// another scenario or version.
Result sweep(const Json& source, const std::string& file, const Options& options);

// How much an axis moves the answer. A line: points that differ in this axis alone; those that are done count, where
// there are two or more. Its ratio: the highest throughput (samples per second) over the lowest.
struct Effect {
  size_t axis  = 0;
  size_t lines = 0;
  double mean  = 1;  // the geometric mean of the lines' ratios
  double most  = 1;  // the largest of them
};

// One for each axis, largest mean first; those without lines last.
std::vector<Effect> effects(const Result& result);

// A value of an axis as people read it: a word, or of objects the members in which the axis's values differ.
std::string label(const scenario::Axis& axis, size_t value);

Json to_json(const Result& result);
std::string to_csv(const Result& result);
// The effects and at most `top` points: those with the highest throughput.
std::string to_text(const Result& result, size_t top);

}  // namespace foreflow::sweep
