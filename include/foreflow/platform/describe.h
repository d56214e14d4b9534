// Descriptions of a platform for people and programs: devices, links by kind, bisection bandwidth, and single routes.
#pragma once

#include <string>
#include <string_view>

#include "foreflow/base/json.h"
#include "foreflow/platform/platform.h"

namespace foreflow::platform {

// The bandwidth at which one half of the devices can send to the other half, in one direction; 0 for a single device.
//   1. Platforms with a graph: the minimum cut between the halves, over connections that routes use. With up to 12
//      devices the minimum over all halves; with more, that of the first and the second half in file order.
//   2. Platforms with routes only: device i sends to device i + floor(n/2), where every flow gets its max-min fair rate
//      (a link counts as often as the flow crosses it), and the result is the sum of the rates. For odd n the last
//      device is idle. Pairs without a route send nothing; infinite when a pair has a route without links.
BytesPerSecond bisection_bandwidth(const Platform& platform);

// The method that bisection_bandwidth used, in words.
std::string_view bisection_method(const Platform& platform);

// The bandwidth of a single message on `route`: the minimum over its links of payload bandwidth divided by the number
// of times that the route crosses the link. Infinite for a route without links (Route::latency).
BytesPerSecond route_bandwidth(const Platform& platform, const Route& route);

// Index of a device. Throws Error with the nearest name when there is none.
int device_index(const Platform& platform, const std::string& name);

std::string describe(const Platform& platform);
Json to_json(const Platform& platform);

// Describes one route; the JSON form includes the platform. Throws Error when a name is unknown or both are equal.
std::string describe_route(const Platform& platform, const std::string& from, const std::string& to);
Json route_to_json(const Platform& platform, const std::string& from, const std::string& to);

}  // namespace foreflow::platform
