// Quantities as SimGrid writes them: "2.25GBps", "100Mbps", "50us", "1Gf", "5.2297E9f". Units follow the version 4 of
// its DTD (the comment at the head of simgrid.dtd).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/units.h"

namespace foreflow::platform::zones {

// Throw Error("", ...) when the text is no number with a known unit behind it, or out of range. A number without a unit
// is in bytes per second, seconds or flop per second, as SimGrid has it.
BytesPerSecond read_bandwidth(std::string_view text);           // above zero
BytesPerSecond read_optional_bandwidth(std::string_view text);  // zero, which stands for none, or more
Seconds read_time(std::string_view text);                       // zero or more
FlopsPerSecond read_speed(std::string_view text);               // zero, for what computes nothing, or more

// "100Mf, 50Mf": the speeds of a host in its states, separated by commas.
std::vector<FlopsPerSecond> read_speeds(std::string_view text);

}  // namespace foreflow::platform::zones
