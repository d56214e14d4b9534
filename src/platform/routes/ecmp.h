// Equal-cost multi-path: which of several equally good ways a message takes. Deterministic, as the switches of a
// cluster are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace foreflow::platform {

// The input of an ECMP rule. `quotient` starts as the number of the destination's port; every branch consumes a part of
// it.
struct Flow {
  uint64_t from, to;  // devices
  uint64_t quotient;
  uint64_t from_port = 0, to_port = 0;  // numbers among all ports of servers, where the message crosses any
};

struct EcmpRule {
  std::string_view name;
  std::string_view doc;
  // 0 <= result < ways; `vertex` is where the ways part. `ways` is at least 2.
  size_t (*take)(Flow& flow, uint64_t vertex, size_t ways);
  // True if a choice depends on the numbers of ports by their remainders only, and on nothing else that says where
  // devices are.
  bool by_remainders;
};

// A number that looks random: the same for the same argument, on every machine.
uint64_t mixed(uint64_t number);

const std::vector<EcmpRule>& ecmp_rules();
std::vector<std::string> ecmp_rule_names();

// Null when there is no such rule.
const EcmpRule* find_ecmp_rule(std::string_view name);

}  // namespace foreflow::platform
