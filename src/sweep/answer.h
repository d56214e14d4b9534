// The part of a prediction that a sweep keeps.
#pragma once

#include <string>

#include "foreflow/scenario/run.h"

namespace foreflow::sweep {

// An object of answer_columns(). Times of devices are means over all; the peak is that of the device that needs most.
Json answer_of(const report::Summary& summary);

// Reads an answer that was kept as text. Throws Error at `where` unless it is an object that holds every column, and
// nothing else, with values of the columns' kinds: so that its readers need not ask.
Json read_answer(const std::string& text, const std::string& where);

}  // namespace foreflow::sweep
