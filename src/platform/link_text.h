// Numbers of links as SimGrid reads them. What is written reads back as the same number.
#pragma once

#include <string>

#include "foreflow/base/units.h"

namespace foreflow::platform {

std::string to_text(BytesPerSecond bandwidth);  // "12.5GBps"
std::string to_text(Seconds latency);           // "1.5us", "150ns"
std::string to_text(double number);             // "0.9"
std::string to_text(int number);                // "4"

}  // namespace foreflow::platform
