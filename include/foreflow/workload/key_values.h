// The keys of a model family, the values that a scenario or a command states for them, read once and typed, and those
// that hold where none is stated.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace foreflow {
class JsonView;
}

namespace foreflow::workload {

constexpr int64_t kLargestSize = 1'000'000'000;  // products of two sizes fit in 63 bits

class FilledValues;

// A size that follows from others, of which those are 0 that are not legal.
struct Derived {
  std::string_view words;  // "4 hidden"
  int64_t (*of)(const FilledValues& values);
};

// The value of a key that is not stated, of the key's kind. The first alternative: the key has none.
using Default = std::variant<std::monostate, bool, int64_t, double, std::string_view, Derived>;

struct Key {
  enum class Kind : uint8_t { integer, number, boolean, word };

  std::string_view name, doc;
  Default fallback = {};
  Kind kind        = Kind::integer;
};

// The value of a key that is not stated, in words: "768", "4 hidden"; "" for none.
std::string in_words(const Default& fallback);

// Says what the key is for, with its default: "width (768)".
std::string explained(const Key& key);

// A value for each key that is stated, of the key's kind. Whether it is legal is for the family to say.
class KeyValues {
 public:
  // The alternatives hold an integer, a number, a boolean and a word.
  using Value = std::variant<int64_t, double, bool, std::string>;

  // None; errors are at `place`, that of the object that could state them ("gpt.json: $.workload").
  explicit KeyValues(std::string place = {}) : place_(std::move(place)) {}

  void set(std::string_view key, Value value) { values_.insert_or_assign(std::string(key), std::move(value)); }
  bool has(std::string_view key) const { return values_.find(key) != values_.end(); }
  // The stated value, else the fallback. Requires: the key, if it is stated, is of that kind.
  int64_t integer_or(std::string_view key, int64_t fallback) const;
  double number_or(std::string_view key, double fallback) const;
  bool flag_or(std::string_view key, bool fallback) const;
  std::string word_or(std::string_view key, const std::string& fallback) const;

  // The key with the greatest integer, the first of equals; "" where no key has one.
  std::string key_of_greatest() const;

  // The value as JSON has it: "0.5", "\"decode\"". Requires: it is stated.
  std::string text(std::string_view key) const;
  // The place of the key: "gpt.json: $.workload.heads"; that of the object where it is not stated.
  std::string where(std::string_view key) const;
  // Throws Error at the key.
  [[noreturn]] void fail(std::string_view key, const std::string& what) const;

 private:
  std::string place_;
  std::map<std::string, Value, std::less<>> values_;
};

// The values of all keys of a family: what is stated, else the default. Stating a default changes none of them.
class FilledValues {
 public:
  // Both are kept by reference.
  FilledValues(const std::vector<Key>& keys, const KeyValues& stated) : keys_(keys), stated_(stated) {}

  const KeyValues& stated() const { return stated_; }
  // Requires: the family has the key, which is of that kind and is stated or has a default.
  int64_t integer(std::string_view key) const;
  double number(std::string_view key) const;
  bool flag(std::string_view key) const;
  std::string word(std::string_view key) const;

  // The integer, if it is from 1 to kLargestSize; else 0, as for what is no key of integers of the family.
  int64_t size(std::string_view key) const;

 private:
  const std::vector<Key>& keys_;
  const KeyValues& stated_;
};

// The values that `stated`, a scenario's "workload", has for `keys`. Throws Error at a value of another kind.
KeyValues read_key_values(const JsonView& stated, const std::vector<Key>& keys);

}  // namespace foreflow::workload
