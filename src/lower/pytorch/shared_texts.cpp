#include "lower/pytorch/shared_texts.h"

#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"

namespace foreflow::lower {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.'; }

// So many digits that sums and differences of such numbers still fit into 64 bits.
constexpr size_t kMostDigits = 18;

// Its digits can be written again from the number.
bool is_integer(std::string_view word) {
  if (word.empty() || word.size() > kMostDigits || (word[0] == '0' && word.size() > 1)) return false;
  for (const char c : word) {
    if (!is_digit(c)) return false;
  }
  return true;
}

// Collects the pieces and the integers of a text from its beginning to its end.
class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  // text[first, end) is an integer.
  void cut(size_t first, size_t end) {
    pattern_.pieces.emplace_back(text_.substr(done_, first - done_));
    pattern_.numbers.push_back(parse_number<int64_t>(text_.substr(first, end - first)).value());
    done_ = end;
  }
  Pattern finish() && {
    pattern_.pieces.emplace_back(text_.substr(done_));
    return std::move(pattern_);
  }

 private:
  std::string_view text_;
  size_t done_ = 0;
  Pattern pattern_;
};

// The length of the escape sequence that begins at a backslash.
size_t escape_length(char letter) {
  constexpr size_t kShort = 2, kByte = 4, kUnit = 6, kCharacter = 10;
  return letter == 'x' ? kByte : letter == 'u' ? kUnit : letter == 'U' ? kCharacter : kShort;
}

size_t end_of_string(std::string_view text, size_t open) {
  size_t at = open + 1;
  while (at < text.size() && text[at] != '\'') at += text[at] == '\\' ? escape_length(text[at + 1]) : 1;
  return at + 1;
}

size_t end_of(std::string_view text, size_t at, bool (*belongs)(char)) {
  while (at < text.size() && belongs(text[at])) ++at;
  return at;
}

}  // namespace

Pattern integers_of_code(std::string_view text) {
  Splitter splitter(text);
  bool remark = false;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '\n') remark = false;
    if (c == '#') remark = true;
    if (c == '\'' && !remark) {
      at = end_of_string(text, at);
      continue;
    }
    if (!is_word(c)) {
      ++at;
      continue;
    }
    const size_t end = end_of(text, at, is_word);
    // A minus behind a space or a bracket is a sign unless a space follows; behind a word it is that of an exponent.
    const bool minus            = at > 0 && text[at - 1] == '-';
    const bool inside           = at > 1 && (minus || text[at - 1] == '+') && is_word(text[at - 2]);
    const std::string_view word = text.substr(at, end - at);
    if (!inside && is_integer(word)) splitter.cut(minus && word != "0" ? at - 1 : at, end);
    at = end;
  }
  return std::move(splitter).finish();
}

Pattern integers_of_strings(std::string_view text) {
  Splitter splitter(text);
  bool quoted = false;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '\'') quoted = !quoted;
    if (quoted && is_digit(c)) {
      const size_t end = end_of(text, at, is_digit);
      if (is_integer(text.substr(at, end - at))) splitter.cut(at, end);
      at = end;
      continue;
    }
    at += quoted && c == '\\' ? escape_length(text[at + 1]) : 1;
  }
  return std::move(splitter).finish();
}

size_t SharedTexts::add(int rank, const std::string& name, const Pattern& pattern) {
  std::string key = name;
  for (const std::string& piece : pattern.pieces) key += '\0' + piece;  // which Python texts do not have
  std::vector<size_t>& alike = by_text_[key];
  for (const size_t number : alike) {
    Shared& shared = shared_[number];
    std::vector<Difference> differences;
    for (size_t i = 0; i < pattern.numbers.size(); ++i) {
      if (pattern.numbers[i] != shared.numbers[i]) differences.push_back({i, pattern.numbers[i]});
    }
    if (shared.ranks.back() == rank) {
      if (shared.differences.back() == differences) return number;
      continue;
    }
    shared.ranks.push_back(rank);
    shared.differences.push_back(std::move(differences));
    return number;
  }
  alike.push_back(shared_.size());
  shared_.push_back({pattern.numbers, {rank}, {{}}, {}});
  return alike.back();
}

void SharedTexts::number(RankNumbers& numbers) {
  for (Shared& shared : shared_) {
    std::map<size_t, std::vector<int64_t>> columns;
    for (size_t r = 0; r < shared.ranks.size(); ++r) {
      for (const Difference& difference : shared.differences[r]) {
        std::vector<int64_t>& column = columns[difference.at];
        if (column.empty()) column.assign(shared.ranks.size(), shared.numbers[difference.at]);
        column[r] = difference.number;
      }
    }
    std::map<std::vector<int64_t>, std::string> known;
    for (const auto& [at, column] : columns) {
      std::string& expression = known[column];
      if (expression.empty()) expression = numbers.expression(shared.ranks, column);
      shared.expressions.emplace(at, expression);
    }
  }
}

std::vector<std::string> SharedTexts::expressions(size_t text) const {
  const Shared& shared = shared_[text];
  std::vector<std::string> all;
  for (const int64_t number : shared.numbers) all.push_back(std::to_string(number));
  for (const auto& [at, expression] : shared.expressions) all[at] = expression;
  return all;
}

std::string code_with(const Pattern& pattern, const std::vector<std::string>& expressions) {
  std::string text = pattern.pieces[0];
  for (size_t i = 0; i < expressions.size(); ++i) text += expressions[i] + pattern.pieces[i + 1];
  return text;
}

std::string strings_with(const Pattern& pattern, const std::vector<std::string>& expressions) {
  std::string text, string;
  std::vector<std::string> arguments;
  bool quoted      = false;
  const auto close = [&] {
    if (arguments.empty()) {
      text += string + "'";
      return;
    }
    for (const char c : string) text += c == '\0' ? "%d" : c == '%' ? "%%" : std::string(1, c);
    text += "' % " + (arguments.size() == 1 ? arguments[0] : "(" + join(arguments) + ")");
  };
  for (size_t i = 0; i < pattern.pieces.size(); ++i) {
    const std::string& piece = pattern.pieces[i];
    for (size_t at = 0; at < piece.size();) {
      const size_t length = quoted && piece[at] == '\\' ? escape_length(piece[at + 1]) : 1;
      if (piece[at] != '\'') {
        (quoted ? string : text) += piece.substr(at, length);
      } else if (quoted) {
        close();
        quoted = false;
      } else {
        string = "'";
        arguments.clear();
        quoted = true;
      }
      at += length;
    }
    if (i == expressions.size()) break;
    if (is_integer(expressions[i])) {
      string += expressions[i];
    } else {
      string += '\0';
      arguments.push_back(expressions[i]);
    }
  }
  return text;
}

}  // namespace foreflow::lower
