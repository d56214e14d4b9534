// The tables of distinct events that fragments share.
#include <cstdint>

#include "lower/fragment.h"

namespace foreflow::lower {
namespace {

template <class T>
void append(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void append_issue(std::string& key, const stream::Issue& issue) {
  for (const Seconds time : {issue.first, issue.all, issue.lag, issue.tail}) append(key, time);
  append(key, issue.waits);
}

template <class Key, class Row>
int32_t intern_row(std::map<Key, int32_t>& index, std::vector<Row>& rows, Key key, Row row) {
  const auto [found, fresh] = index.emplace(std::move(key), static_cast<int32_t>(rows.size()));
  if (fresh) rows.push_back(std::move(row));
  return found->second;
}

}  // namespace

const std::vector<bool>& FragmentMaker::backward_of(size_t function) const {
  static const std::vector<bool> none;
  return backward_.empty() ? none : backward_[function];
}

int32_t FragmentMaker::intern(stream::Compute compute, const std::array<Seconds, cost::kProvenances>& shares) {
  std::string key = compute.name;
  for (const stream::Part& part : compute.parts) {
    key += '\0';
    key += part.name;
    append(key, part.duration);
  }
  if (compute.issue != stream::Issue()) append_issue(key, compute.issue);
  const int32_t number = intern_row(compute_index_, computes, std::move(key), std::move(compute));
  if (static_cast<size_t>(number) == provenance.size()) provenance.push_back(shares);
  return number;
}

int32_t FragmentMaker::intern(const stream::Communication& communication) {
  std::string key = communication.name;
  append(key, communication.kind);
  append(key, reinterpret_cast<std::uintptr_t>(communication.algorithm));  // two may have one name
  append(key, communication.bytes);
  append(key, communication.fixed.has_value());
  append(key, communication.fixed.value_or(Seconds(0)));
  append(key, communication.start);
  append_issue(key, communication.issue);
  return intern_row(communication_index_, communications, std::move(key), communication);
}

int32_t FragmentMaker::intern(const stream::MemoryEffect& effect) {
  return intern_row(memory_index_, memory_effects, std::pair(effect.peak.value(), effect.net.value()), effect);
}

int32_t FragmentMaker::intern(const interpret::DeviceMap& renaming) {
  return renaming.empty() ? -1 : intern_row(renaming_index_, renamings, renaming, renaming);
}

}  // namespace foreflow::lower
