#include "foreflow/ir/value_table.h"

#include <utility>

namespace foreflow::ir {

const Value& ValueTable::plain() {
  static const Value kNothing;
  return kNothing;
}

ValueTable::Stated ValueTable::copied(const Stated& stated) {
  Stated copies;
  copies.reserve(stated.size());
  for (const auto& value : stated) copies.push_back(std::make_unique<Value>(*value));
  return copies;
}

Value& ValueTable::operator[](size_t value) {
  uint32_t& slot = slots_[value];
  if (slot == kPlain) {
    stated_.push_back(std::make_unique<Value>());
    slot = static_cast<uint32_t>(stated_.size());
  }
  return *stated_[slot - 1];
}

void ValueTable::clear() {
  slots_.clear();
  stated_.clear();
}

void ValueTable::push_back(Value value) {
  slots_.push_back(kPlain);
  if (!value.name.empty() || value.annotation != nullptr) (*this)[size() - 1] = std::move(value);
}

void ValueTable::set_name(size_t value, std::string name) {
  if (slots_[value] != kPlain || !name.empty()) (*this)[value].name = std::move(name);
}

void ValueTable::annotate(size_t value, TypeRef annotation) {
  if (slots_[value] != kPlain || annotation != nullptr) (*this)[value].annotation = std::move(annotation);
}

void ValueTable::move(size_t from, size_t to) {
  if (from != to) slots_[to] = std::exchange(slots_[from], kPlain);
}

}  // namespace foreflow::ir
