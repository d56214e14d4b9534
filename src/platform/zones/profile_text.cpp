#include "platform/zones/profile_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <sstream>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"

namespace foreflow::platform::zones {
namespace {

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

double number(const std::string& word, int line) {
  const auto value = parse_number<double>(word);
  if (!value || !std::isfinite(*value)) throw Error("", fmt::format("line {}: \"{}\" is no number", line, word));
  return *value;
}

double time(const std::string& word, int line) {
  const double value = number(word, line);
  if (value < 0) throw Error("", fmt::format("line {}: the time {} is below 0", line, word));
  return value;
}

}  // namespace

Steps read_profile(const std::string& text, double period) {
  Steps result;
  std::optional<double> after;
  std::istringstream lines(text);
  int count = 0;
  for (std::string line; std::getline(lines, line);) {
    ++count;
    const std::vector<std::string> words = words_of(line);
    if (words.empty() || words[0][0] == '#' || words[0][0] == '%') continue;
    if (words[0] == "STOCHASTIC")
      throw Error("", fmt::format("line {}: stochastic profiles are not read; write the times and values out", count));
    if (words.size() < 2)  // SimGrid reads no further than two words
      throw Error("", fmt::format("line {}: \"{}\" is no time and value, like \"10 0.5\"", count, line));
    if (words[0] == "PERIODICITY") {
      period = time(words[1], count);
    } else if (words[0] == "LOOPAFTER") {
      after = time(words[1], count);
    } else {
      const Seconds at(time(words[0], count));
      if (!result.steps.empty() && at < result.steps.back().at)
        throw Error("", fmt::format("line {}: the time {} is before that of the line above", count, words[0]));
      result.steps.push_back({at, number(words[1], count)});
    }
  }
  if (result.steps.empty()) return result;
  const Seconds last = result.steps.back().at;
  result.period      = after ? last + Seconds(*after) : Seconds(period);
  if (result.period > Seconds(0) && result.period < last)
    throw Error("", fmt::format("it repeats after {}, before its last time {}", format(result.period), format(last)));
  return result;
}

std::string read_profile_file(const std::string& name, const std::string& beside,
                              const std::vector<std::string>& folders) {
  namespace fs              = std::filesystem;
  constexpr auto kLargest   = 64U << 20U;  // bytes
  std::vector<fs::path> all = {fs::path(beside).parent_path(), fs::path()};
  all.insert(all.end(), folders.begin(), folders.end());
  for (const fs::path& folder : all) {
    std::error_code failed;
    const fs::path path = folder / name;
    if (!fs::is_regular_file(path, failed)) continue;
    if (fs::file_size(path, failed) > kLargest)
      throw Error("", fmt::format("the file \"{}\" is larger than 64 MiB", name));
    return read_file(path.string());
  }
  throw Error("", fmt::format("there is no file \"{}\"; paths are relative to the platform file", name));
}

}  // namespace foreflow::platform::zones
