// What a platform is, for people and for programs: devices, links by kind, bisection bandwidth, and single routes.
#pragma once

#include <string>

#include "foreflow/base/json.h"
#include "foreflow/platform/platform.h"

namespace foreflow::platform {

// Half of the devices send to the other half, device i to device i + floor(n/2), all at once and one way only. Every
// flow gets its max-min fair rate, a link counting as often as the flow crosses it; the sum of the rates is the answer.
// The last device of an odd number is idle; one device has bisection 0.
BytesPerSecond bisection_bandwidth(const Platform& platform);

// What one message alone can get on `route`: the smallest bandwidth / crossings. The route has at least one link.
BytesPerSecond route_bandwidth(const Platform& platform, const Route& route);

// Index of a device. Throws Error with the nearest name when there is none.
int device_index(const Platform& platform, const std::string& name);

std::string describe(const Platform& platform);
Json to_json(const Platform& platform);

// One route. Throws Error when a name is unknown or both are the same.
std::string describe_route(const Platform& platform, const std::string& from, const std::string& to);
Json route_to_json(const Platform& platform, const std::string& from, const std::string& to);

}  // namespace foreflow::platform
