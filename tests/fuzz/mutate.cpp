#include "fuzz/mutate.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "foreflow/base/text.h"

namespace foreflow::fuzz {
namespace {
namespace fs = std::filesystem;

using Random = std::mt19937_64;

// The same on every machine, unlike the distributions of the standard library.
size_t below(size_t end, Random& random) { return end == 0 ? 0 : static_cast<size_t>(random() % end); }

struct Range {
  size_t begin, size;
};

Range range_of(const std::string& text, size_t longest, Random& random) {
  const size_t begin = below(text.size(), random);
  return {begin, std::min(text.size() - begin, 1 + below(longest, random))};
}

const std::string& any_of(const std::vector<std::string>& texts, Random& random) {
  return texts[below(texts.size(), random)];
}

// Puts another number in the place of one of the text's.
void change_number(std::string& text, Random& random) {
  static constexpr std::array kNumbers = {"0",   "-1",    "1",      "2",          "3",          "0.5",
                                          "1e3", "1e400", "1e-320", "2147483648", "4294967295", "9223372036854775807",
                                          "nan", "inf",   "007",    "1e18"};
  const auto is_digit                  = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const size_t from                    = below(text.size(), random);
  const auto begin = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(), is_digit);
  if (begin == text.end()) return;
  const auto end = std::find_if_not(begin, text.end(), is_digit);
  text.replace(static_cast<size_t>(begin - text.begin()), static_cast<size_t>(end - begin),
               kNumbers[below(kNumbers.size(), random)]);
}

bool is_token(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '%' || c == '@';
}

// The first run of such characters from a random place on; empty where there is none.
Range token_of(const std::string& text, Random& random) {
  const auto from  = text.begin() + static_cast<std::ptrdiff_t>(below(text.size(), random));
  const auto begin = std::find_if(from, text.end(), is_token);
  const auto end   = std::find_if_not(begin, text.end(), is_token);
  return {static_cast<size_t>(begin - text.begin()), static_cast<size_t>(end - begin)};
}

int kind_of(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0   ? '0'
         : std::isalpha(static_cast<unsigned char>(c)) != 0 ? 'a'
                                                            : c;
}

// Puts a name in the place of a name, a number in the place of a number: much of it passes a parser.
void change_token(std::string& text, const std::vector<std::string>& seeds, Random& random) {
  constexpr int kAttempts = 20;
  const Range old         = token_of(text, random);
  if (old.size == 0) return;
  const std::string& other = below(2, random) == 0 ? text : any_of(seeds, random);
  for (int i = 0; i < kAttempts; ++i) {
    const Range taken = token_of(other, random);
    if (taken.size == 0 || kind_of(other[taken.begin]) != kind_of(text[old.begin])) continue;
    const std::string token = other.substr(taken.begin, taken.size);
    text.replace(old.begin, old.size, token);
    return;
  }
}

void change(std::string& text, const std::vector<std::string>& seeds, const std::vector<std::string>& words,
            Random& random) {
  constexpr size_t kShort = 16, kLong = 256;
  if (text.empty()) text = "\0";
  if (below(2, random) == 0)
    return below(3, random) == 0 ? change_number(text, random) : change_token(text, seeds, random);
  const Range some = range_of(text, below(2, random) == 0 ? kShort : kLong, random);
  switch (below(8, random)) {
    case 0: text[some.begin] = static_cast<char>(text[some.begin] ^ (1 << below(8, random))); return;
    case 1: text[some.begin] = static_cast<char>(below(256, random)); return;
    case 2: text.erase(some.begin, some.size); return;
    case 3: text.insert(some.begin, text.substr(some.begin, some.size)); return;
    case 4: text.resize(some.begin); return;
    case 5: {
      const std::string& other = any_of(seeds, random);
      const Range taken        = range_of(other, kLong, random);
      text.replace(some.begin, some.size, other, taken.begin, taken.size);
      return;
    }
    case 6: {
      const std::string part = text.substr(some.begin, some.size);
      text.erase(some.begin, some.size);
      text.insert(below(text.size() + 1, random), part);
      return;
    }
    default:
      if (words.empty()) return change_number(text, random);
      text.replace(some.begin, below(2, random) == 0 ? 0 : some.size, any_of(words, random));
  }
}

fs::path folder_of(const char* kind) { return fs::path(FOREFLOW_SOURCE_DIR) / "tests/fuzz" / kind; }

}  // namespace

std::string mutated(const std::vector<std::string>& seeds, const std::vector<std::string>& words, Random& random) {
  std::string text     = any_of(seeds, random);
  const size_t changes = 1 + below(1 + below(3, random), random);  // most often one
  for (size_t i = 0; i < changes; ++i) change(text, seeds, words, random);
  return text;
}

std::vector<std::string> dictionary_words(std::string_view dictionary) {
  std::vector<std::string> words;
  for (const std::string& line : split(dictionary, '\n')) {
    const size_t begin = line.find('"'), end = line.rfind('"');
    if (line.starts_with("#") || begin == std::string::npos || end <= begin) continue;
    std::string word;
    for (size_t i = begin + 1; i < end; ++i) {
      if (line[i] == '\\' && i + 3 < end && line[i + 1] == 'x') {
        word += static_cast<char>(std::stoi(line.substr(i + 2, 2), nullptr, 16));
        i += 3;
      } else {
        if (line[i] == '\\' && i + 1 < end) ++i;
        word += line[i];
      }
    }
    words.push_back(word);
  }
  return words;
}

std::vector<std::string> read_seeds(const std::string& form) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder_of("seeds") / form)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> seeds;
  for (const fs::path& file : files) seeds.push_back(read_file(file));
  return seeds;
}

std::vector<std::string> read_dictionary(const std::string& form) {
  const fs::path file = folder_of("dictionaries") / (form + ".dict");
  return fs::exists(file) ? dictionary_words(read_file(file)) : std::vector<std::string>();
}

}  // namespace foreflow::fuzz
