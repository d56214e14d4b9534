// Lower bounds of the bytes and the time of a resharding, which no plan can beat, and the bytes that a plan moves.
#pragma once

#include "foreflow/base/units.h"
#include "foreflow/reshard/plan.h"
#include "foreflow/reshard/ports.h"
#include "foreflow/reshard/unit_tasks.h"

namespace foreflow::reshard {

// The bytes that must enter the devices that need them at least once: each unit task with receivers counts once. With
// disjoint meshes it is the size of the tensors, as the paper states.
Bytes least_volume(const UnitTasks& units);

// The bytes that must enter hosts, summed over hosts: each box that a host needs and that none of its devices has.
Bytes least_crossing(const UnitTasks& units, const Ports& ports);

// The bytes that the jobs of a plan move between hosts: a message counts once, a chain once for each host that it
// enters, and a ring over several hosts at the end of each.
Bytes crossing(const std::vector<Job>& jobs, const Ports& ports);

// A lower bound of the time of every plan in which hosts and devices are limited by their ports alone:
//   1. a host receives each box that its devices need and do not have at least once, over all of its ports together;
//   2. the boxes that only hosts of a set hold leave these hosts at least once, over all of their ports together. The
//      sets tried are those of the holders of each box, and the union of all;
//   3. the same for devices, each of which has its port inside its host and its card.
Seconds least_time(const UnitTasks& units, const Ports& ports);

}  // namespace foreflow::reshard
