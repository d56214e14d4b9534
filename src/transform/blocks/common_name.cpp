#include <algorithm>

#include "transform/blocks/block_function.h"

namespace foreflow::transform {
namespace {

using Words = std::vector<std::string>;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_separator(char c) { return c == '.' || c == '/' || c == '_' || c == '-' || c == ':'; }
bool is_number(const std::string& word) { return is_digit(word.back()); }

// "h.10.ln_1" -> "h", ".10", ".ln", "_1": each with the separators before it.
Words words_of(std::string_view name) {
  Words words;
  for (const char c : name) {
    const bool begins =
        words.empty() || (is_separator(c) && !is_separator(words.back().back())) ||
        (!is_separator(c) && !is_separator(words.back().back()) && is_digit(c) != is_digit(words.back().back()));
    if (begins) words.emplace_back();
    words.back() += c;
  }
  return words;
}

std::string joined(const Words& words) {
  std::string name;
  for (const std::string& word : words) name += word;
  while (!name.empty() && is_separator(name.back())) name.pop_back();
  name.erase(0, static_cast<size_t>(std::find_if(name.begin(), name.end(), [](char c) { return !is_separator(c); }) -
                                    name.begin()));
  const bool named = std::any_of(name.begin(), name.end(), [](char c) { return !is_digit(c) && !is_separator(c); });
  return named ? name : std::string();
}

// Equal but for numbers: without those that differ. Empty when there is more to it.
Words without_varying_numbers(const std::vector<Words>& names) {
  Words kept;
  for (size_t i = 0; i < names.front().size(); ++i) {
    const std::string& first = names.front()[i];
    const auto agrees = [&](const Words& other) { return other.size() == names.front().size() && other[i] == first; };
    const auto is_numbered = [&](const Words& other) {
      return other.size() == names.front().size() && is_number(other[i]);
    };
    if (std::all_of(names.begin(), names.end(), agrees)) {
      kept.push_back(first);
    } else if (!std::all_of(names.begin(), names.end(), is_numbered)) {
      return {};
    }
  }
  return kept;
}

std::string_view bare(const std::string& word) {
  return std::string_view(word).substr(static_cast<size_t>(
      std::find_if(word.begin(), word.end(), [](char c) { return !is_separator(c); }) - word.begin()));
}

// How many words from the front, or from the back, are the same in all.
size_t common_words(const std::vector<Words>& names, bool from_back) {
  const auto word = [&](const Words& words, size_t i) { return bare(words[from_back ? words.size() - 1 - i : i]); };
  size_t count    = 0;
  while (std::all_of(names.begin(), names.end(), [&](const Words& other) {
    return count < other.size() && word(other, count) == word(names.front(), count);
  })) {
    ++count;
  }
  return count;
}

}  // namespace

std::string common_name(const std::vector<std::string_view>& names) {
  std::vector<Words> words;
  for (const std::string_view name : names) words.push_back(words_of(name));
  if (words.front().empty()) return {};
  const std::string numbered = joined(without_varying_numbers(words));
  if (!numbered.empty()) return numbered;
  for (Words& one : words) std::erase_if(one, is_number);
  const Words& first  = words.front();
  const size_t prefix = common_words(words, false), suffix = common_words(words, true);
  const std::string begin = joined({first.begin(), first.begin() + static_cast<std::ptrdiff_t>(prefix)});
  return begin.empty() ? joined({first.end() - static_cast<std::ptrdiff_t>(suffix), first.end()}) : begin;
}

}  // namespace foreflow::transform
