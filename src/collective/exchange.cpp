#include "collective/exchange.h"

#include <algorithm>

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

}  // namespace foreflow::collective
