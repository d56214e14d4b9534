// Finds the known name that a user most likely meant by an unknown one, by these rules:
//
//   1. Case and punctuation do not count: "Llama-3_8B" is "llama3-8b".
//   2. A name is nearer the fewer its edits are, for its length: a letter more, less or other, two letters swapped.
//   3. It is near, too, where it has a part of a candidate or the other way round: "deepspeed" is nearest to
//      "megatron-deepspeed". It is nearest where a candidate begins with it: "llama3" to "llama3-8b".
//   4. A name without a version ("nccl") stands for the newest one ("nccl@2.23").
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "foreflow/base/suggestion.h"
#include "foreflow/base/text.h"

namespace foreflow {
namespace {

// Edits that make `b` of `a`: insertions, deletions, substitutions, and swaps of neighbours (Damerau 1964, Levenshtein
// 1966, in the form in which no part is edited twice).
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last, row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

// Lower case, without punctuation.
std::string plain(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0 || letter >= 0x80) text += static_cast<char>(std::tolower(letter));
  }
  return text;
}

size_t longest_common_part(std::string_view a, std::string_view b) {
  size_t longest = 0;
  std::vector<size_t> row(b.size() + 1);  // the common part that ends before each letter of b
  for (const char letter : a) {
    for (size_t j = b.size(); j > 0; --j) {
      row[j]  = b[j - 1] == letter ? row[j - 1] + 1 : 0;
      longest = std::max(longest, row[j]);
    }
  }
  return longest;
}

// 0: the same; 1: nothing in common.
double distance_of(const std::string& a, const std::string& b, bool begins) {
  const auto longer = static_cast<double>(std::max(a.size(), b.size()));
  if (longer == 0) return 0;
  const double edits = static_cast<double>(edit_distance(a, b)) / longer;
  // A common part counts from a syllable on, less than the same letters with an edit or two, and most if it is the
  // whole of one of them.
  constexpr size_t kSyllable = 3;
  constexpr double kPart = 0.2, kOther = 0.3, kOfEach = 0.1, kBegin = 0.1;
  const size_t common = longest_common_part(a, b), shorter = std::min(a.size(), b.size());
  const double left = 1 - 2 * static_cast<double>(common) / static_cast<double>(a.size() + b.size());
  if (begins) return std::min(edits, kBegin + kOther * left);
  if (common < kSyllable || (common < shorter && common <= kSyllable)) return edits;
  return std::min(edits, kPart + kOther * left + (common < shorter ? kOfEach : 0));
}

// Returns true if `candidate` begins with the whole word: "llama3-8b" with "llama3", but not with "llama".
bool begins_with(std::string_view candidate, const std::string& word) {
  size_t at = 0, matched = 0;
  for (; at < candidate.size() && matched < word.size(); ++at) {
    const std::string letter = plain(candidate.substr(at, 1));
    if (letter.empty()) continue;
    if (letter[0] != word[matched]) return false;
    ++matched;
  }
  return matched == word.size() && (at == candidate.size() || plain(candidate.substr(at, 1)).empty());
}

constexpr char kVersion = '@';

// Returns the part of `candidate` with which `name` is compared. If the candidate has a version and `name` has none, it
// is only the part before the version.
std::string_view compared_part(std::string_view name, std::string_view candidate) {
  return name.find(kVersion) == std::string_view::npos ? candidate.substr(0, candidate.find(kVersion)) : candidate;
}

// The numbers of "2.18".
std::vector<int64_t> version_of(std::string_view candidate) {
  std::vector<int64_t> numbers;
  const size_t at = candidate.find(kVersion);
  if (at == std::string_view::npos) return numbers;
  for (const std::string& word : split(candidate.substr(at + 1), '.'))
    numbers.push_back(parse_number<int64_t>(word).value_or(0));
  return numbers;
}

struct Near {
  std::string name;
  double distance = std::numeric_limits<double>::infinity();
};

Near find_nearest(std::string_view name, const std::vector<std::string>& candidates) {
  Near best;
  size_t best_exact         = SIZE_MAX;  // with case and punctuation, among equals
  const std::string wanted  = plain(name);
  const std::string* chosen = nullptr;
  for (const std::string& candidate : candidates) {
    const std::string_view part = compared_part(name, candidate);
    const double distance       = distance_of(wanted, plain(part), begins_with(part, wanted));
    const size_t exact          = distance <= best.distance ? edit_distance(name, part) : SIZE_MAX;
    const bool is_newer =
        chosen != nullptr && part == compared_part(name, *chosen) && version_of(candidate) > version_of(*chosen);
    if (!is_newer && std::pair(distance, exact) >= std::pair(best.distance, best_exact)) continue;
    best       = {candidate, distance};
    best_exact = exact;
    chosen     = &candidate;
  }
  return best;
}

}  // namespace

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
  return find_nearest(name, candidates).name;
}

std::optional<std::string> near_name(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr double kNear = 0.5;
  Near best              = find_nearest(name, candidates);
  if (best.distance > kNear) return std::nullopt;
  return std::move(best.name);
}

std::string suggestion(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr size_t kFew = 32;
  if (const auto near = near_name(name, candidates)) return "; the nearest is \"" + *near + "\"";
  return candidates.empty() || candidates.size() > kFew ? "" : "; use " + list_or(candidates);
}

std::string suggestion_or_first(std::string_view name, const std::vector<std::string>& candidates) {
  std::string text = suggestion(name, candidates);
  if (!text.empty() || candidates.empty()) return text;
  return "; the first of " + std::to_string(candidates.size()) + " is \"" + candidates.front() + "\"";
}

}  // namespace foreflow
