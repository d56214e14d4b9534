// Results that a run computes before it simulates anything, kept for later runs that need the same. The runs of a
// sweep, for example, simulate one program on platforms that differ only in numbers of their links.
#pragma once

#include <memory>

#include "foreflow/stream/compact.h"

namespace foreflow::simulate {

class Courses;          // simulate/fold/courses.h
class GroupRouteTable;  // simulate/routes/group_routes.h

// Each may be null: then a run works it out for itself, with the same result.
struct Known {
  std::shared_ptr<const Courses> courses  = nullptr;  // of the program
  std::shared_ptr<GroupRouteTable> routes = nullptr;  // of the platform; runs add those that it lacks
};

// Returns the course of each stream of the program, which does not depend on a platform.
std::shared_ptr<const Courses> courses_of(const stream::CompactProgram& program);

// Routes among groups of devices, none as yet: for runs on platforms with equal devices and routes, one at a time.
std::shared_ptr<GroupRouteTable> no_routes();

}  // namespace foreflow::simulate
