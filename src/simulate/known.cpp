#include "foreflow/simulate/known.h"

#include "simulate/fold/courses.h"
#include "simulate/routes/group_routes.h"

namespace foreflow::simulate {

std::shared_ptr<const Courses> courses_of(const stream::CompactProgram& program) {
  return std::make_shared<const Courses>(program);
}

std::shared_ptr<GroupRouteTable> no_routes() { return std::make_shared<GroupRouteTable>(); }

}  // namespace foreflow::simulate
