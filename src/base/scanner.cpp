#include "foreflow/base/scanner.h"

#include <cctype>

namespace foreflow {
namespace {

bool is_word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

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

std::string_view Scanner::take(size_t length) {
  const std::string_view token = text_.substr(position_, length);
  position_ += length;
  skip_space();
  return token;
}

bool Scanner::accept(std::string_view token) {
  if (!text_.substr(position_).starts_with(token)) return false;
  take(token.size());
  return true;
}

void Scanner::expect(std::string_view token) {
  if (!accept(token)) fail("expected '" + std::string(token) + "', found " + found());
}

std::string_view Scanner::word() {
  if (std::isdigit(static_cast<unsigned char>(peek())) != 0) return {};
  return run([](std::string_view text, size_t i) { return is_word_char(text[i]); });
}

bool Scanner::accept_word(std::string_view word) {
  if (!text_.substr(position_).starts_with(word) || is_word_char(peek_at(word.size()))) return false;
  take(word.size());
  return true;
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
    if (text_[i] == '\\' && i + 1 < text_.size()) {
      ++i;
      value += text_[i] == 'n' ? '\n' : text_[i];
    } else {
      value += text_[i];
    }
  }
  if (i >= text_.size() || text_[i] != '"') fail("the string has no closing '\"'");
  take(i + 1 - position_);
  return value;
}

}  // namespace foreflow
