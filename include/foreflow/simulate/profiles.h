// The profiles of a platform file as disturbances.
#pragma once

#include "foreflow/platform/platform.h"
#include "foreflow/simulate/disturbance.h"

namespace foreflow::simulate {

// The steps of one profile that are simulated; a profile that repeats stays as it is after them.
constexpr size_t kMostProfileSteps = 1000;

// The disturbances and those that the platform's file declares (platform::Declared::profiles): slowdowns of devices,
// and traces of links but for those that have a trace already. Once: done again, it changes nothing.
Disturbances with_profiles(Disturbances disturbances, const platform::Platform& platform);

}  // namespace foreflow::simulate
