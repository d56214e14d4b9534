#include "collective/exchange.h"

#include <algorithm>
#include <utility>

#include "collective/layout.h"
#include "collective/ring.h"

namespace foreflow::collective {
namespace {

// The exchange of bit `bit` when halving: member i sends what it still has (the chunks that agree with it in the lower
// bits) and the other one goes on with (those that agree with the other one in this bit).
std::vector<Transfer> exchange(const std::vector<int>& members, const std::vector<int>& chunks, size_t bit) {
  std::vector<Transfer> transfers;
  const size_t below = 2 * bit - 1;
  for (size_t i = 0; i < members.size(); ++i) {
    const size_t other = i ^ bit;
    for (size_t c = 0; c < members.size(); ++c) {
      if ((c & below) == (other & below)) transfers.push_back({members[i], members[other], chunks[c], true});
    }
  }
  return transfers;
}

// Size of the halves that members exchange with the partner whose number differs in bit `bit`: 1 / (2 * bit) of the
// whole.
Phase messages(const std::vector<int>& members, size_t bit, const Group& group, Receiver receiver) {
  const double share = 1.0 / static_cast<double>(2 * bit);
  std::vector<Flow> flows;
  flows.reserve(members.size());
  for (size_t i = 0; i < members.size(); ++i) {
    const int one = members[i], other = members[i ^ bit];
    flows.push_back(receiver == Receiver::adds ? Flow{one, other, share} : Flow{other, one, share});
  }
  return step(group, std::move(flows));
}

}  // namespace

void halve(std::vector<std::vector<Transfer>>& steps, const std::vector<int>& members, const std::vector<int>& chunks) {
  for (size_t bit = 1; bit < members.size(); bit *= 2) steps.push_back(exchange(members, chunks, bit));
}

// Halving backwards.
void double_up(std::vector<std::vector<Transfer>>& steps, const std::vector<int>& members,
               const std::vector<int>& chunks) {
  std::vector<std::vector<Transfer>> forth;
  halve(forth, members, chunks);
  std::reverse(forth.begin(), forth.end());
  for (auto& transfers : forth) {
    for (Transfer& transfer : transfers) {
      std::swap(transfer.from, transfer.to);
      transfer.reduce = false;
    }
    steps.push_back(std::move(transfers));
  }
}

void halve(FlowPlan& plan, const std::vector<int>& members, const Group& group) {
  for (size_t bit = 1; bit < members.size(); bit *= 2)
    plan.phases.push_back(messages(members, bit, group, Receiver::adds));
}

void double_up(FlowPlan& plan, const std::vector<int>& members, const Group& group) {
  for (size_t bit = members.size() / 2; bit > 0; bit /= 2)
    plan.phases.push_back(messages(members, bit, group, Receiver::replaces));
}

}  // namespace foreflow::collective
