// Parts of the result of `simulate --json` that describe devices and links.
#pragma once

#include "foreflow/report/memory.h"

namespace foreflow::report {

Json classes_json(const ClassBytes& classes);

// The names of these devices, which are indices into Summary::devices: ranges, or one by one where the choice is all.
Json names_json(const Summary& summary, const std::vector<size_t>& devices, const DeviceChoice& choice);

// An entry for each class of devices of equal figures, or for each device of the choice.
Json devices_json(const Summary& summary, const stream::Program& program, const platform::Platform& platform,
                  const std::vector<MemoryPeak>& peaks, const DeviceChoice& choice);

// An entry for each class of links of equal figures, or for each link where the choice is all.
Json links_json(const Summary& summary, const platform::Platform& platform, const DeviceChoice& choice);

}  // namespace foreflow::report
