#include "foreflow/platform/topologies.h"
#include "platform/routes/ecmp.h"

namespace foreflow::platform {
namespace {

std::vector<RoutingDef> routing_rows() {
  std::vector<RoutingDef> all;
  for (const EcmpRule& rule : ecmp_rules()) all.push_back({rule.name, rule.doc, true});
  all.push_back(
      {"adaptive", "trees: switches spread every message evenly over all ways up; dragonfly: the same as `ugal`"});
  all.push_back({"minimal", "dragonfly: the shortest way, with at most one link between groups"});
  all.push_back({"valiant", "dragonfly: by way of another group, which a hash of both ends chooses"});
  all.push_back({"ugal",
                 "dragonfly: the shortest way for as many as its link carries as fast as ways round do, the others by "
                 "way of other groups in turns"});
  return all;
}

}  // namespace

const Registry<RoutingDef>& routings() {
  static const Registry<RoutingDef> rows("routing", "routings", routing_rows());
  return rows;
}

}  // namespace foreflow::platform
