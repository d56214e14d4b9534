// The rows of the timeline's picture: which streams share one, and which blocks stand in it.
#pragma once

#include <string>
#include <vector>

#include "foreflow/report/summary.h"
#include "report/family.h"

namespace foreflow::report {

// Streams that do the same at the same time (to a millionth of the iteration), in the order of their first.
struct Row {
  std::vector<size_t> streams;  // indices into Program::streams
};
std::vector<Row> equal_streams(const stream::Program& program, const stream::Timeline& timeline);

// A coloured box, or several that are too narrow to be seen apart.
struct Block {
  double left, right;  // pixels
  const Family* family;
  std::string_view name;  // of the event; empty when the block stands for several
  int occurrence;         // how often the event came before in this row
  int repetitions;        // how often the event comes in this row
};

// `scale` is pixels per second. At most a block a pixel.
std::vector<Block> blocks(const stream::Program& program, const stream::Timeline& timeline, size_t stream,
                          double scale);

}  // namespace foreflow::report
