#include "foreflow/base/scanner.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace foreflow {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_word_char(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Quicker than find for two or three characters.
constexpr bool is_one_of(char c, std::string_view characters) {
  for (const char candidate : characters) {
    if (c == candidate) return true;
  }
  return false;
}

// The value of two hexadecimal digits.
std::optional<char> byte_of(std::string_view digits) {
  uint8_t byte            = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
  if (digits.size() != 2 || error != std::errc() || end != digits.data() + 2) return std::nullopt;
  return static_cast<char>(byte);
}

}  // namespace

void Scanner::skip_space() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '\n') {
      ++line_;
      line_start_ = ++position_;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++position_;
    } else if (c == '/' && peek_at(1) == '/') {
      while (position_ < text_.size() && text_[position_] != '\n') ++position_;
    } else {
      return;
    }
  }
}

size_t Scanner::lines_before(std::string_view end) const {
  const std::string_view ahead = text_.substr(position_, text_.find(end, position_) - position_);
  return static_cast<size_t>(std::count(ahead.begin(), ahead.end(), '\n'));
}

void Scanner::fail_expected(char token) const { fail("expected '" + std::string(1, token) + "', found " + found()); }

std::string_view Scanner::word() {
  if (is_digit(peek())) return {};
  return run([](std::string_view text, size_t i) { return is_word_char(text[i]); });
}

bool Scanner::accept_whole(std::string_view word) {
  if (!text_.substr(position_).starts_with(word) || is_word_char(peek_at(word.size()))) return false;
  take(word.size());
  return true;
}

std::string_view Scanner::until(std::string_view ends) const {
  int depth = 0;
  for (size_t i = position_; i < text_.size(); ++i) {
    const char c = text_[i];
    if (c == '\n' || c == '"' || c == '/') return {};
    if (depth == 0 && is_one_of(c, ends)) {
      while (i > position_ && text_[i - 1] == ' ') --i;
      return text_.substr(position_, i - position_);
    }
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
  }
  return {};
}

std::string Scanner::found() const {
  if (at_end()) return "the end of the text";
  size_t end = position_;
  while (end < text_.size() && is_word_char(text_[end])) ++end;
  if (end == position_) ++end;
  return "'" + std::string(text_.substr(position_, end - position_)) + "'";
}

std::string Scanner::quoted() {
  if (peek() != '"') fail("expected a string, found " + found());
  std::string value;
  size_t i = position_ + 1;
  for (; i < text_.size() && text_[i] != '"' && text_[i] != '\n'; ++i) {
    if (text_[i] != '\\' || i + 1 >= text_.size()) {
      value += text_[i];
      continue;
    }
    ++i;
    const std::optional<char> byte = text_[i] == 'x' ? byte_of(text_.substr(i + 1, 2)) : std::nullopt;
    if (byte) {
      value += *byte;
      i += 2;
    } else {
      value += text_[i] == 'n' ? '\n' : text_[i];
    }
  }
  if (i >= text_.size() || text_[i] != '"') fail("the string has no closing '\"'");
  take(i + 1 - position_);
  return value;
}

}  // namespace foreflow
