// Numbers of links as SimGrid reads them.
#pragma once

#include <string>

#include "foreflow/base/units.h"

namespace foreflow::platform {

std::string to_text(BytesPerSecond bandwidth);  // "12.5GBps"
std::string to_text(Seconds latency);           // "1.5us"

}  // namespace foreflow::platform
