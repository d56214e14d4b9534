// Python texts that several ranks have but for their integers, each written once: peers, offsets and seeds become
// "numbers[k]", an entry of a list that every rank has of its own.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lower/pytorch/rank_numbers.h"

namespace foreflow::lower {

// A text around its integers: pieces[0], numbers[0], pieces[1], .., numbers[n - 1], pieces[n].
struct Pattern {
  std::vector<std::string> pieces;
  std::vector<int64_t> numbers;
};

// Integers of statements and of the remarks behind them, with their signs; those in strings belong to the pieces.
Pattern integers_of_code(std::string_view text);
// Integers of at most 18 digits in strings, without signs; all others belong to the pieces.
Pattern integers_of_strings(std::string_view text);

class SharedTexts {
 public:
  // Adds the text of a rank. Texts of one name are shared. Returns the number of the shared text. A rank that adds two
  // texts which differ in integers only has two shared texts.
  size_t add(int rank, const std::string& name, const Pattern& pattern);

  // Has `numbers` hold the integers that differ between the ranks of each text.
  void number(RankNumbers& numbers);
  // The expression for each integer of a shared text: a literal where all ranks have the same.
  std::vector<std::string> expressions(size_t text) const;

 private:
  struct Difference {
    size_t at;
    int64_t number;
    bool operator==(const Difference&) const = default;
  };
  struct Shared {
    std::vector<int64_t> numbers;  // of the first rank
    std::vector<int> ranks;
    std::vector<std::vector<Difference>> differences;  // per rank: from the first one
    std::map<size_t, std::string> expressions;         // of integers that differ
  };

  std::map<std::string, std::vector<size_t>> by_text_;
  std::vector<Shared> shared_;
};

// The statements of `pattern` with these expressions as its integers.
std::string code_with(const Pattern& pattern, const std::vector<std::string>& expressions);
// The same where the integers are in strings: 'w.%d' % numbers[0].
std::string strings_with(const Pattern& pattern, const std::vector<std::string>& expressions);

}  // namespace foreflow::lower
