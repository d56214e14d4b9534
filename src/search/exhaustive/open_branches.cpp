#include "search/exhaustive/open_branches.h"

#include <algorithm>

#include "foreflow/base/nth.h"

namespace foreflow::search {
namespace {

constexpr size_t kFew = 4096;  // entries, which are not worth looking through

// Best first is a heap whose largest is at the front: compare the other way round.
bool later(const Entry& a, const Entry& b) { return b < a; }

}  // namespace

void OpenBranches::clear() {
  entries_.clear();
  points_ = 0;
  full_   = kFew;
}

void OpenBranches::push(Entry entry) {
  if (is_out(entry)) {
    forgotten_ += entry.points;
    return;
  }
  if (entries_.size() >= full_) forget();
  points_ += entry.points;
  entries_.push_back(std::move(entry));
  std::push_heap(entries_.begin(), entries_.end(), later);
}

size_t OpenBranches::ruled_out() const {
  size_t points = forgotten_;
  for (const Entry& entry : entries_) points += is_out(entry) ? entry.points : 0;
  return points;
}

void OpenBranches::forget() {
  std::erase_if(entries_, [this](const Entry& entry) { return is_out(entry); });
  std::make_heap(entries_.begin(), entries_.end(), later);
  const size_t before = points_;
  points_             = 0;
  for (const Entry& entry : entries_) points_ += entry.points;
  forgotten_ += before - points_;
  full_ = std::max(kFew, 2 * entries_.size());
}

const Entry& OpenBranches::most_promising() const {
  const Entry* best = nullptr;
  for (const Entry& entry : entries_) {
    if (entry.prospect.bounded_by >= BoundedBy::step && (best == nullptr || entry < *best)) best = &entry;
  }
  return best == nullptr ? entries_.front() : *best;
}

std::vector<Entry> OpenBranches::take(const std::array<size_t, kSteps>& at_once) {
  std::vector<Entry> taken;
  double room = 1;
  while (!entries_.empty() && room > 0) {
    const Entry& first = entries_.front();
    const bool out     = is_out(first);
    points_ -= first.points;
    if (!out) room -= 1.0 / static_cast<double>(nth(at_once, first.next));
    std::pop_heap(entries_.begin(), entries_.end(), later);
    if (out)
      forgotten_ += entries_.back().points;
    else
      taken.push_back(std::move(entries_.back()));
    entries_.pop_back();
  }
  return taken;
}

std::vector<Entry> OpenBranches::take_within(size_t number) {
  const auto is_of  = [&](const Entry& entry) { return entry.prospect.number == number; };
  const Entry* best = nullptr;
  for (const Entry& entry : entries_) {
    if (is_of(entry) && (best == nullptr || entry < *best)) best = &entry;
  }
  if (best == nullptr || is_out(*best)) return {};
  const NextStep step     = best->next;
  const std::string point = step == NextStep::refine ? "" : best->prospect.point;
  const auto is_taken     = [&](const Entry& entry) {
    return is_of(entry) && entry.next == step && (point.empty() || entry.prospect.point == point);
  };
  std::vector<Entry> taken;
  for (const Entry& entry : entries_) {
    if (is_taken(entry)) taken.push_back(entry);
  }
  std::sort(taken.begin(), taken.end());
  std::erase_if(entries_, is_taken);
  std::make_heap(entries_.begin(), entries_.end(), later);
  for (const Entry& entry : taken) points_ -= entry.points;
  return taken;
}

}  // namespace foreflow::search
