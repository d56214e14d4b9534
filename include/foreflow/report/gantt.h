// Bars over time in named rows, as text and as a picture.
#pragma once

#include <string>
#include <vector>

#include "foreflow/base/units.h"

namespace foreflow::report {

struct Bar {
  Seconds start, end;
  int number;         // decides its letter and its colour
  std::string title;  // shown by a picture when one points at it
};

struct GanttRow {
  std::string name;
  std::vector<Bar> bars;  // by start; several may run at once
};

// One line per row of `columns` characters. A column shows the bar that runs in its middle: its number as a digit or a
// letter (10 is a, 36 is A, 62 is 0 again), '#' for several bars and '.' for none.
std::string draw_text(const std::vector<GanttRow>& rows, Seconds end, size_t columns);

// A complete <svg> element that needs nothing outside itself. Bars that run at once lie below each other.
std::string draw_svg(const std::vector<GanttRow>& rows, Seconds end, const std::string& title);

}  // namespace foreflow::report
