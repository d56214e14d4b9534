// The keys of a model family, and the values that a scenario or a command states for them: read once, and typed.
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

struct Key {
  enum class Kind : uint8_t { integer, number, boolean, word };

  std::string_view name, doc;
  Kind kind = Kind::integer;
};

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

// The values that `stated`, a scenario's "workload", has for `keys`. Throws Error at a value of another kind.
KeyValues read_key_values(const JsonView& stated, const std::vector<Key>& keys);

}  // namespace foreflow::workload
