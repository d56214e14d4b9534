// Numbers of links and devices as platform files have them. What is written reads back as the same number.
#pragma once

#include <string>

#include "foreflow/base/units.h"

namespace foreflow::platform {

std::string to_text(BytesPerSecond bandwidth);  // "12.5GBps"
std::string to_text(Seconds latency);           // "1.5us", "150ns"
std::string to_text(Bytes memory);              // "80GB"
std::string to_text(FlopsPerSecond peak);       // "19.5Tf", "48Gf"
std::string to_text(double number);             // "0.9"
std::string to_text(int number);                // "4"

// A bandwidth of memory as data sheets have it, in TB/s from two on: "1555GBps", "2.039TBps".
std::string memory_text(BytesPerSecond bandwidth);

}  // namespace foreflow::platform
