// Makes footprints one by one.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/footprint/copied_phases.h"
#include "simulate/footprint/footprint.h"
#include "simulate/footprint/host_phases.h"
#include "simulate/footprint/network_phases.h"

namespace foreflow::simulate {

class FootprintMaker {
 public:
  // `traces`: of links that change; `routes`: of the platform, null for none. All must outlive it.
  FootprintMaker(const platform::Platform& platform, const std::vector<LinkTrace>& traces,
                 GroupRouteTable* routes = nullptr)
      : changing_(platform, traces),
        groups_(platform, traces, routes),
        host_(platform, changing_, loads_),
        network_(platform, traces, loads_, result_.phases),
        copied_(groups_, loads_, result_.phases) {}
  FootprintMaker(const FootprintMaker&)            = delete;
  FootprintMaker& operator=(const FootprintMaker&) = delete;

  // The number of the footprint of a communication among devices at these places. Throws Error when two of them have no
  // route.
  int32_t add(const stream::Communication& communication, const std::vector<int>& places, int32_t example);

  // Makes room for `count` of them.
  void reserve(size_t count);

  // All of them; Footprints::of_instance is empty.
  Footprints take() &&;

 private:
  // Adds the phases. Returns their algorithm; null: of none.
  const collective::AlgorithmDef* add_phases(const stream::Communication& communication,
                                             const std::vector<int>& places);

  Footprints result_;
  LoadTable loads_;
  Changing changing_;
  DeviceGroups groups_;
  HostPhases host_;
  NetworkPhases network_;
  CopiedPhases copied_;
};

}  // namespace foreflow::simulate
