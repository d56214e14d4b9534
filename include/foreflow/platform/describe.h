// What a platform is, for people and for programs: devices, links by kind, bisection bandwidth, and single routes.
#pragma once

#include <string>
#include <string_view>

#include "foreflow/base/json.h"
#include "foreflow/platform/platform.h"

namespace foreflow::platform {

// What half of the devices can send to the other half at once, one way. One device has bisection 0. Of a graph it is
// the smallest cut between the halves, where only connections on routes count: with up to 12 devices that of the worst
// halves, with more that of the first and the second half in the order of the file. Where only routes are known, device
// i sends to device i + floor(n/2), every flow gets its max-min fair rate, a link counting as often as the flow crosses
// it, and the sum of the rates is the answer; the last device of an odd number is idle.
BytesPerSecond bisection_bandwidth(const Platform& platform);

// Which of these ways it was found.
std::string_view bisection_method(const Platform& platform);

// What one message alone can get on `route`: the smallest payload bandwidth / crossings. The route has at least one
// link.
BytesPerSecond route_bandwidth(const Platform& platform, const Route& route);

// Index of a device. Throws Error with the nearest name when there is none.
int device_index(const Platform& platform, const std::string& name);

std::string describe(const Platform& platform);
Json to_json(const Platform& platform);

// One route; in JSON beside what the platform is. Throws Error when a name is unknown or both are the same.
std::string describe_route(const Platform& platform, const std::string& from, const std::string& to);
Json route_to_json(const Platform& platform, const std::string& from, const std::string& to);

}  // namespace foreflow::platform
