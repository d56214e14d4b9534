// The timeline as an SVG drawing of rows of blocks.
#pragma once

#include <string>

#include "foreflow/report/summary.h"
#include "report/rows.h"

namespace foreflow::report {

// A complete <svg> element that needs nothing outside itself. Rows beyond a number that can be told apart are counted.
std::string draw_timeline(const Summary& summary, const stream::Program& program, const stream::Timeline& timeline,
                          const std::vector<Row>& rows);

}  // namespace foreflow::report
