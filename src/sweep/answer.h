// The part of a prediction that a sweep keeps.
#pragma once

#include <string>

#include "foreflow/scenario/run.h"

namespace foreflow::sweep {

// An object of answer_columns(). Times are means over all devices; the peak is that of the device that needs most.
Json answer_of(const report::Summary& summary);

// Reads a stored answer. Throws Error at `where` unless it is an object with exactly the columns, each of the right
// kind, so callers need not check.
Json read_answer(const std::string& text, const std::string& where);

}  // namespace foreflow::sweep
