// Measured times of ops and messages, as rows of a CSV file. Calibrations are fitted to them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/units.h"

namespace foreflow::cost {

// The measurement of one signature on one process. The CSV has a column for each member, by the name in the comment;
// quantities are in seconds, bytes and flop.
struct Measurement {
  enum class Kind : uint8_t { compute, message };

  Kind kind = Kind::compute;  // kind: "compute" or "message"
  int rank  = 0;              // rank: which process, from 0; for a message the first of its members
  std::string op;             // op: "MatMul", "MPIAllreduce"
  std::string dtype;          // dtype: "f32"
  std::string signature;      // signature: cost/signature.h
  int ranks = 1;              // ranks: members of a message; 1 for compute
  Flops flops;                // flops
  Bytes read, written;        // bytes_read, bytes_written: of the device's own memory
  Bytes message;              // message_bytes: as collective::Kind defines it; 0 for compute
  int64_t count = 1;          // count: number of timed executions
  Seconds time;               // seconds: the median
  Seconds fastest;            // seconds_min
  int nodes          = 1;     // nodes: servers that the members of a message were on
  std::string device = {};    // device: of a compute, as its data sheet or its driver calls it; "": not stated
};

// The column nodes is written if a message was on several, and device if a row states it.
std::string print_csv(std::span<const Measurement> measurements);

// The columns may stand in any order, and count, seconds_min, nodes and device may be absent; an empty cell of nodes
// is 1. Lines that begin with '#' are comments. Throws Error("NAME:LINE", ...) for unknown or missing columns, rows of
// the wrong length, fields that are not a number or negative, a message on more nodes than it has members, and one of a
// device.
std::vector<Measurement> parse_csv(std::string_view text, const std::string& name);

// Throws Error(where, ...) if rows of one signature, op, data type and number of members and nodes have different flops
// or bytes, beyond what rounding of printed numbers explains. Ops with operands of integers may: their values, which no
// signature has, can decide the work.
void check_work(std::span<const Measurement> measurements, const std::string& where);

// The device that the head of the CSV states, as calibration/profile.py and profile.cu write it: the text of its first
// comment before ", driver ", without the number of devices. "": it states none.
std::string stated_device(std::string_view text);

// The median. Requires: at least one time.
Seconds median(std::vector<Seconds> times);

}  // namespace foreflow::cost
