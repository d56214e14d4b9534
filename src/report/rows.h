// The rows of the timeline's picture: the streams that share a row, and its blocks.
#pragma once

#include <string>
#include <vector>

#include "foreflow/report/summary.h"
#include "report/family.h"

namespace foreflow::report {

struct Row {
  std::vector<size_t> streams;  // indices into Program::streams; they look the same
};
// A row for the streams that do the same at the same time, to a millionth of the iteration. Rows are in the order of
// their first streams.
std::vector<Row> equal_streams(const stream::Program& program, const stream::Timeline& timeline);
// A row for each stream that has items.
std::vector<Row> all_streams(const stream::Program& program);

// A coloured box, for one item or for several that are too narrow to distinguish.
struct Block {
  double left, right;  // pixels
  const Family* family;
  std::string_view name;  // of the event; empty when the block stands for several
  int occurrence;         // number of earlier executions of the event in this row
  int repetitions;        // number of executions of the event in this row
};

// `scale` is pixels per second. At most one block per pixel.
std::vector<Block> blocks(const stream::Program& program, const stream::Timeline& timeline, size_t stream,
                          double scale);

}  // namespace foreflow::report
