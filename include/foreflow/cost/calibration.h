// Cost tables from measured times. An op's time on a data type is looked up; between measured points it is
// interpolated, beyond them a fitted line extends it. Messages are priced the same way, by op and number of members.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "foreflow/cost/cost.h"
#include "foreflow/cost/measurement.h"

namespace foreflow::cost {

// A distinct piece of work and the median of its measured times.
struct Point {
  std::string signature;
  Flops flops;
  Bytes bytes;  // read and written; of a message those sent
  Seconds time;
};

struct Line {
  Seconds fixed;
  double per_flop = 0;  // seconds per flop
  double per_byte = 0;  // seconds per byte

  Seconds at(Flops flops, Bytes bytes) const {
    return fixed + Seconds(per_flop * flops.value() + per_byte * bytes.value());
  }
};

// One op on one data type; for messages, over so many members.
struct Family {
  std::string op, dtype;
  int ranks = 1;  // 1: compute
  Line line;
  std::vector<Point> points;  // by what `line` gives, then by signature

  auto key() const { return std::tie(op, dtype, ranks); }
};
std::string name(const Family& family);  // "MatMul f32", "MPIAllreduce f32 over 2"

struct Calibration {
  std::vector<Family> families;  // by op, data type, ranks
};

// The work whose time is asked for.
struct Query {
  std::string op, dtype, signature;
  int ranks = 1;
  Flops flops;
  Bytes bytes;
};

// Nothing when the family was never measured. Interpolation: log(time) is linear between neighbouring points over the
// logarithm of what the family's line gives.
std::optional<Price> price(const Calibration& calibration, const Query& query);

// Rows with one signature count once, with their median.
Calibration fit(std::span<const Measurement> measurements);

// How well a family's times are predicted, as mean absolute relative errors (MAPE).
struct FamilyError {
  std::string name;
  size_t points         = 0;
  double line_error     = 0;  // of the fitted line, on the points it was fitted to
  size_t held_out       = 0;  // points that could be priced without themselves
  double held_out_error = 0;  // of price(), each point priced by a calibration without it
};

// k-fold cross-validation: the points of each family, in its order, are dealt to `folds` folds in turn.
std::vector<FamilyError> assess(const Calibration& calibration, size_t folds = 5);
// All points together.
FamilyError total(std::span<const FamilyError> errors);

// The "families" of a calibration file. from_json throws Error naming file and path.
Json to_json(const Calibration& calibration);
Calibration from_json(const JsonView& families);

}  // namespace foreflow::cost
