#include "report/name_pattern.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>

namespace foreflow::report {
namespace {

struct NumberRange {
  int64_t first, last;
  auto operator<=>(const NumberRange&) const = default;
};

// Names of the same words around their numbers.
struct Pattern {
  size_t first;                     // of the names
  std::vector<NumberRange> ranges;  // by place of a number
};

struct Words {
  std::vector<std::string> texts;  // one more than there are numbers
  auto operator<=>(const Words&) const = default;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Numbers with leading zeros, or too long for an integer, are words.
std::pair<Words, std::vector<NumberRange>> split(const std::string& name) {
  Words words{{""}};
  std::vector<NumberRange> numbers;
  for (size_t i = 0; i < name.size();) {
    size_t end = i;
    while (end < name.size() && is_digit(name[end])) ++end;
    int64_t value     = 0;
    const bool number = end > i && (name[i] != '0' || end == i + 1) &&
                        std::from_chars(name.data() + i, name.data() + end, value).ec == std::errc();
    if (number) {
      numbers.push_back({value, value});
      words.texts.emplace_back();
    } else {
      end = std::max(end, i + 1);
      words.texts.back().append(name, i, end - i);
    }
    i = end;
  }
  return {std::move(words), std::move(numbers)};
}

// Joins patterns that agree in all places but one, where their ranges follow each other.
void join(std::vector<Pattern>& patterns, size_t place) {
  const auto rest_before = [&](const Pattern& a, const Pattern& b) {
    for (size_t i = 0; i < a.ranges.size(); ++i) {
      if (i != place && a.ranges[i] != b.ranges[i]) return a.ranges[i] < b.ranges[i];
    }
    return false;
  };
  std::stable_sort(patterns.begin(), patterns.end(), [&](const Pattern& a, const Pattern& b) {
    if (rest_before(a, b)) return true;
    return !rest_before(b, a) && a.ranges[place] < b.ranges[place];
  });
  std::vector<Pattern> joined;
  for (Pattern& pattern : patterns) {
    const bool follows = !joined.empty() && !rest_before(joined.back(), pattern) &&
                         joined.back().ranges[place].last + 1 == pattern.ranges[place].first;
    if (!follows) {
      joined.push_back(std::move(pattern));
      continue;
    }
    joined.back().ranges[place].last = pattern.ranges[place].last;
    joined.back().first              = std::min(joined.back().first, pattern.first);
  }
  patterns = std::move(joined);
}

std::string text_of(const Words& words, const Pattern& pattern) {
  std::string text = words.texts.front();
  for (size_t i = 0; i < pattern.ranges.size(); ++i) {
    const auto& [first, last] = pattern.ranges[i];
    text += first == last ? std::to_string(first) : "[" + std::to_string(first) + "-" + std::to_string(last) + "]";
    text += words.texts[i + 1];
  }
  return text;
}

}  // namespace

std::vector<std::string> name_patterns(const std::vector<std::string>& names) {
  std::map<Words, std::vector<Pattern>> by_words;
  for (size_t i = 0; i < names.size(); ++i) {
    auto [words, numbers] = split(names[i]);
    by_words[std::move(words)].push_back({i, std::move(numbers)});
  }
  std::vector<std::pair<size_t, std::string>> found;
  for (auto& [words, patterns] : by_words) {
    for (size_t place = words.texts.size() - 1; place-- > 0;) join(patterns, place);
    for (const Pattern& pattern : patterns) found.emplace_back(pattern.first, text_of(words, pattern));
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> texts;
  for (auto& [first, text] : found) texts.push_back(std::move(text));
  return texts;
}

}  // namespace foreflow::report
