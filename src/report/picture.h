// The timeline as an SVG drawing: a row per stream, equal streams share a row.
#pragma once

#include <string>

#include "foreflow/report/summary.h"

namespace foreflow::report {

// A complete <svg> element that needs nothing outside itself.
std::string draw_timeline(const Summary& summary, const stream::Program& program, const stream::Timeline& timeline);

}  // namespace foreflow::report
