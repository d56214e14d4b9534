#include "platform/routes/ecmp.h"

#include <algorithm>

namespace foreflow::platform {
namespace {

// InfiniBand's static routing (Zahavi, D-Mod-K routing providing non-blocking traffic for shift permutations on real
// life fat trees, 2010): the destination's number, written in the radices of the levels, says the way up. Destinations
// of one leaf go over different spines; all messages to one destination share theirs.
size_t destination_modulo(Flow& flow, uint64_t, size_t ways) {
  const uint64_t way = flow.quotient % ways;
  flow.quotient /= ways;
  return way;
}

// As switches that give each new flow the way that has the fewest: the ports of a leaf, which begin to send together,
// take its ways in turns. In a shift, as rings, pipelines and rounds of an all-to-all are, no two meet on the way down.
size_t in_turns(Flow& flow, uint64_t, size_t ways) {
  const uint64_t way = flow.from_port % ways;
  flow.from_port /= ways;
  return way;
}

// As Ethernet switches hash addresses and ports: flows collide at random.
size_t hashed(Flow& flow, uint64_t vertex, size_t ways) {
  return mixed(mixed(mixed(flow.from) ^ flow.to) ^ vertex) % ways;
}

}  // namespace

// Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014).
uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

const std::vector<EcmpRule>& ecmp_rules() {
  static const std::vector<EcmpRule> rules = {
      {"dmodk", "by the number of the destination's port, as InfiniBand's D-mod-k", destination_modulo, true},
      {"ecmp", "in turns, by the number of the source's port: flows that begin together share ways evenly", in_turns,
       true},
      {"hash", "by a hash of source, destination and switch: collisions as on Ethernet", hashed, false}};
  return rules;
}

std::vector<std::string> ecmp_rule_names() {
  std::vector<std::string> names;
  for (const EcmpRule& rule : ecmp_rules()) names.emplace_back(rule.name);
  return names;
}

const EcmpRule* find_ecmp_rule(std::string_view name) {
  const auto& rules = ecmp_rules();
  const auto found  = std::find_if(rules.begin(), rules.end(), [&](const EcmpRule& rule) { return rule.name == name; });
  return found == rules.end() ? nullptr : &*found;
}

}  // namespace foreflow::platform
