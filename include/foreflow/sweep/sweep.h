// Sweeps: predicts every point in the product of a scenario's axes. Each answer is stored at once, so an interrupted
// sweep continues where it stopped. Knows scenarios and their prediction; knows nothing of programs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "foreflow/base/json.h"
#include "foreflow/scenario/axes.h"

namespace foreflow::sweep {

enum class Status : uint8_t {
  done,     // it has an answer
  failed,   // the point is impossible, for the reason `why`: an illegal strategy, a platform that cannot be built
  crashed,  // its worker process died; not stored, so that the next sweep tries it again
};

struct Point {
  std::vector<size_t> choice;  // index of its value on each axis
  Status status = Status::done;
  Json answer;      // done: an object whose members are answer_columns()
  std::string why;  // failed, crashed: the reason, without the scenario's file name
};

struct Result {
  Json source;                       // the scenario with its axes
  std::string version;               // of foreflow
  std::string hash;                  // of the scenario and the files that it names
  std::vector<scenario::Axis> axes;  // in the order of the scenario's text
  std::vector<Point> points;         // the last axis changes fastest
};

struct Options {
  std::string store;    // an SQLite file; empty: nothing is kept
  std::string version;  // of foreflow: a store of another version is refused
  int jobs = 1;         // worker processes; the result is the same for any number
  // once, with the number of points found in the store; may be empty
  std::function<void(size_t kept, size_t total)> begun;
  std::function<void(size_t done, size_t total)> finished;  // after each stored point; may be empty
};

// The names of the members of Point::answer.
const std::vector<std::string>& answer_columns();

// `source` is a scenario in `file` whose lists are axes (scenario/axes.h). Throws Error when
//   1. the scenario is wrong at every point, or a value of a strategy is of another kind than its key;
//   2. a file that it names cannot be read;
//   3. the store is in use by another process, is not a store, or belongs to another scenario or version.
Result sweep(const Json& source, const std::string& file, const Options& options);

// The influence of one axis on throughput (samples per second). Points that differ in this axis only form a line; lines
// with at least two points that are done count. The ratio of a line is its highest throughput divided by its lowest.
struct Effect {
  size_t axis  = 0;
  size_t lines = 0;
  double mean  = 1;  // geometric mean of the lines' ratios
  double most  = 1;  // the largest of them
};

// One entry for each axis, largest mean first; axes without lines last.
std::vector<Effect> effects(const Result& result);

// A value of an axis for people: a word, or for objects the members in which the values of the axis differ.
std::string label(const scenario::Axis& axis, size_t value);

Json to_json(const Result& result);
std::string to_csv(const Result& result);
// The effects, and the `top` points with the highest throughput.
std::string to_text(const Result& result, size_t top);

}  // namespace foreflow::sweep
