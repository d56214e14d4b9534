// Maps names to values: an open-addressing hash table in contiguous memory, since programs have millions of values.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "foreflow/base/nth.h"

namespace foreflow::ir {

class NameTable {
 public:
  static constexpr int32_t kNone = -1;

  // `expected` is the approximate number of names. The texts of the names are not copied; they must outlive the table.
  explicit NameTable(size_t expected = 0) {
    names_.reserve(expected);
    resize(2 * expected);
  }

  // Returns false, and changes nothing, if the name is taken.
  bool insert(std::string_view name, int32_t number) {
    if (2 * (names_.size() + 1) > slots_.size()) resize(2 * slots_.size());
    Slot& slot = slot_of(name, hash(name));
    if (slot.entry != kNone) return false;
    slot = {hash(name), static_cast<int32_t>(names_.size())};
    names_.push_back({name.data(), static_cast<uint32_t>(name.size()), number});
    return true;
  }

  int32_t find(std::string_view name) const {
    const int32_t entry = const_cast<NameTable*>(this)->slot_of(name, hash(name)).entry;
    return entry == kNone ? kNone : nth(names_, entry).number;
  }

 private:
  struct Slot {
    uint32_t hash = 0;
    int32_t entry = kNone;  // into names_
  };
  struct Entry {
    const char* text;
    uint32_t length;
    int32_t number;

    std::string_view name() const { return {text, length}; }
  };

  // Names that differ in their last two characters only (%v1200 to %v1299) get neighbouring slots: programs define and
  // use them one after the other.
  static uint32_t hash(std::string_view name) {
    if (name.size() < 3) return static_cast<uint32_t>(std::hash<std::string_view>()(name));
    const auto high = static_cast<uint32_t>(std::hash<std::string_view>()(name.substr(0, name.size() - 2)));
    const auto nth  = [&](size_t back) { return static_cast<uint32_t>(name[name.size() - back]); };
    return high + 16 * (nth(2) & 15) + (nth(1) & 15);
  }

  // The slot with this name, or the empty slot where it would be inserted.
  Slot& slot_of(std::string_view name, uint32_t hash) {
    size_t i = hash & (slots_.size() - 1);
    while (slots_[i].entry != kNone && (slots_[i].hash != hash || nth(names_, slots_[i].entry).name() != name)) {
      i = (i + 1) & (slots_.size() - 1);
    }
    return slots_[i];
  }

  void resize(size_t least) {
    size_t size = 16;
    while (size < least) size *= 2;
    slots_.assign(size, {});
    for (size_t e = 0; e < names_.size(); ++e) {
      const uint32_t code             = hash(names_[e].name());
      slot_of(names_[e].name(), code) = {code, static_cast<int32_t>(e)};
    }
  }

  std::vector<Slot> slots_;  // a power of two, at most half of them used
  std::vector<Entry> names_;
};

}  // namespace foreflow::ir
