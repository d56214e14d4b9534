#include "lower/event_tables.h"

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
int32_t number_in(std::map<Key, int32_t>& index, std::vector<Row>& rows, Key key, Row row) {
  const auto [found, fresh] = index.emplace(std::move(key), static_cast<int32_t>(rows.size()));
  if (fresh) rows.push_back(std::move(row));
  return found->second;
}

}  // namespace

int32_t EventTables::number_of(stream::Compute compute, const std::array<Seconds, cost::kProvenances>& shares) {
  std::string key = compute.name;
  for (const stream::Part& part : compute.parts) {
    key += '\0';
    key += part.name;
    append(key, part.duration);
  }
  if (compute.issue != stream::Issue()) append_issue(key, compute.issue);
  const int32_t number = number_in(compute_index_, computes, std::move(key), std::move(compute));
  if (static_cast<size_t>(number) == provenance.size()) provenance.push_back(shares);
  return number;
}

int32_t EventTables::number_of(const stream::Communication& communication) {
  std::string key = communication.name;
  append(key, communication.kind);
  append(key, reinterpret_cast<std::uintptr_t>(communication.algorithm));  // two may have one name
  append(key, communication.bytes);
  append(key, communication.fixed.has_value());
  append(key, communication.fixed.value_or(Seconds(0)));
  append(key, communication.start);
  for (const stream::TimeOnNodes& one : communication.measured) {
    append(key, one.nodes);
    append(key, one.time.has_value());
    append(key, one.time.value_or(Seconds(0)));
  }
  append_issue(key, communication.issue);
  return number_in(communication_index_, communications, std::move(key), communication);
}

int32_t EventTables::number_of(const stream::MemoryEffect& effect) {
  return number_in(memory_index_, memory_effects, std::pair(effect.peak.value(), effect.net.value()), effect);
}

int32_t EventTables::number_of(const interpret::DeviceMap& renaming) {
  return renaming.empty() ? -1 : number_in(renaming_index_, renamings, renaming, renaming);
}

}  // namespace foreflow::lower
