// The place of errors of steps that do not know what they work on.
#pragma once

#include <string>

#include "foreflow/base/error.h"

namespace foreflow {

// The result of `step`. A PartError of it becomes an Error at "PLACE: PART", where `place` is the subject of the step,
// such as the file of a scenario.
template <class Step>
auto at_place(const std::string& place, const Step& step) {
  try {
    return step();
  } catch (const PartError& error) {
    throw Error(place + ": " + error.where(), error.problem());
  }
}

}  // namespace foreflow
