// Links between GPUs, of which hwloc knows the bandwidths from NVML or ROCm.
#pragma once

#include <map>
#include <pugixml.hpp>
#include <string>

#include "platform/imports/imports.h"

namespace foreflow::platform::imports {

// The GPU, counted from 0, that an object stands for: a PCI device, or what the operating system or a driver makes of
// it. Objects have the numbers of their attribute gp_index, as text.
using GpuOfObject = std::map<std::string, int, std::less<>>;

// Adds the links of the matrix "NVLinkBandwidth" or "XGMIBandwidth" of MB/s between objects, and says what is assumed
// and left out:
//
//   <distances2hetero nbobjs="3" name="NVLinkBandwidth" indexing="gp">
//     <indexes>OSDev:20 OSDev:21 PCI:30 </indexes>      two GPUs and an NVSwitch
//     <u64values>1000000 0 300000 0 1000000 300000 300000 300000 1000000 </u64values>
//
// Switches become one that does not block. Where no number of the matrix is known, its first objects are the GPUs.
void add_links(Server& server, const pugi::xml_node& topology, const GpuOfObject& gpu_of);

}  // namespace foreflow::platform::imports
