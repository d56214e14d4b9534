// Cost models calibrated from measurements. The time of an op on a data type is
//   1. looked up, when the same signature was measured;
//   2. interpolated between the most alike measured points with less and with more work;
//   3. extrapolated outside of them from the nearest one, with a fitted line.
// A device takes what was measured on it, and what states no device. Messages are priced the same way, by op and number
// of members, and only on as many nodes as were measured.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "foreflow/cost/cost.h"
#include "foreflow/cost/measurement.h"

namespace foreflow::cost {

// One signature and the median of its measured times.
struct Point {
  std::string signature;
  Flops flops;
  Bytes bytes;  // compute: read and written; messages: sent
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

// The measurements of one op on one data type; for messages, also of one number of members on one number of nodes; of
// ops, on one device.
struct Family {
  std::string op, dtype;
  int ranks = 1;  // 1: compute
  Line line;
  std::vector<Point> points = {};  // sorted by the time that `line` predicts, then by signature
  int nodes                 = 1;   // servers that the members are on
  std::string device        = {};  // as its data sheet or its driver calls it; "": not stated
};

// Returns true if the family may price work on this kind of device: it names the device, or none.
bool is_of(const Family& family, std::string_view device);

std::string name(const Family& family);  // "MatMul f32", "MPIAllreduce f32 over 2", "Send f32 over 2 on 2 nodes", "Add
                                         // f32 on H100-SXM5-80GB"

struct Calibration {
  std::vector<Family> families;  // sorted by op, data type, ranks, nodes, device
};

// The work to price.
struct Query {
  std::string op, dtype, signature;
  int ranks = 1;
  Flops flops;
  Bytes bytes;
  int nodes          = 1;
  std::string device = {};  // its kind; "": not known, so that no family of a device prices it
};

// The numbers of nodes on which messages of this op, data type and number of members were measured; in their order.
std::vector<int> measured_nodes(const Calibration& calibration, std::string_view op, std::string_view dtype, int ranks);

// Returns true if the times of a family show a rate: it was measured with different amounts of work, of which flops and
// bytes make at least half of the time that its line gives the longest. Otherwise, most of what was measured is a fixed
// time, and the line says nothing about larger work. A family without points grows if its line has a rate.
bool grows(const Family& family);

// Returns true if the messages of a family show what a short one takes: by the fixed time of their line, if they grow;
// if they do not, by a message of at most 64 KiB among them. The time of a long message alone says nothing about it.
bool shows_latency(const Family& family);

// The price of a query, by the family of its device or by that of no device, whichever was measured nearer to it, and
// by that of its device if both are as near. Nothing
//   1. when its family was never measured;
//   2. for a message with more bytes than all of its family, if the family does not grow;
//   3. for a message with fewer bytes than all of its family, if the family shows no latency.
// Work with more or fewer flops or bytes than all points of its family is priced along the line from the point that is
// nearest by flops and bytes, among about equal ones by shape, and at least at least_time() (`regression`); other work
// between points (`interpolated`). Where the family does not grow, smaller work takes its shortest time, and larger
// work its longest, which is a lower bound.
//
// Interpolation is between the nearest point with no more work than the query, by the time t that the family's line
// predicts, and the nearest with no less, where shape counts four times as much as work. Each point gives the query its
// own time in the proportion of both t; their geometric mean, weighted by how near each is, is kept between the two
// measured times. So work beside a measured point takes about its time, whatever other shapes of as much work take.
// Messages, which have no shape, are interpolated about linearly in log(time) over log(t).
//
// Example: points measured at t = 1 ms and t = 4 ms took 2 ms and 8 ms. Work with t = 2 ms is halfway on the
// logarithmic scale and is priced at 4 ms; work with t = 5 ms is beyond both and is priced at 5 / 4 * 8 ms = 10 ms.
std::optional<Price> price(const Calibration& calibration, const Query& query);

// The longest measured time of the query's op with the same attributes on no more flops and bytes; 0: of none. Points
// with no more of both than the one nearest to the query count at most its time.
Seconds least_time(const Calibration& calibration, const Query& query);

// The family that prices a query outside of what was measured, if it has points and does not grow; null otherwise.
const Family* flat_family(const Calibration& calibration, const Query& query);

// Fits a calibration. Rows with equal signatures become one point with their median.
Calibration fit(std::span<const Measurement> measurements);

// Prediction errors of a family, as mean absolute relative errors (MAPE, as fractions).
struct FamilyError {
  std::string name;
  size_t points         = 0;
  double line_error     = 0;  // of the fitted line on its own points
  size_t held_out       = 0;  // number of points that could be priced from the others
  double held_out_error = 0;  // of price(), each point priced by a calibration that was fitted without it
};

// k-fold cross-validation: the points of each family, in order, are assigned to `folds` folds in turn.
std::vector<FamilyError> assess(const Calibration& calibration, size_t folds = 5);
// The errors over the points of all families.
FamilyError total(std::span<const FamilyError> errors);

// The "families" of a calibration file. from_json throws Error naming file and path.
Json to_json(const Calibration& calibration);
Calibration from_json(const JsonView& families);

}  // namespace foreflow::cost
