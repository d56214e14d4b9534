// Reads text token by token and knows the line and column for messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "foreflow/base/error.h"

namespace foreflow {

// Spaces, line ends and `//` comments between tokens are skipped.
class Scanner {
 public:
  Scanner(std::string_view text, const std::string& name) : text_(text), name_(name) { skip_space(); }

  bool at_end() const { return position_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[position_]; }
  char peek_at(size_t ahead) const { return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0'; }
  uint32_t line() const { return line_; }
  // Number of lines up to the next `end`, or to the end of the text; for reserving memory.
  size_t lines_before(std::string_view end) const;
  // Characters from here to the end of the text.
  size_t remaining() const { return text_.size() - position_; }
  // A position in the text. `where` turns it into text later, because most positions are never printed.
  struct Place {
    uint32_t line;
    size_t column;
  };
  Place place() const { return {line_, position_ - line_start_ + 1}; }
  std::string where(Place place) const {
    return name_ + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
  }
  std::string where() const { return where(place()); }
  [[noreturn]] void fail(const std::string& what) const { throw Error(where(), what); }
  // About a token that is already consumed and began at `place`.
  [[noreturn]] void fail_at(Place place, const std::string& what) const { throw Error(where(place), what); }

  // Consumes `token` (not empty, not '\0') if the text continues with it.
  bool accept(std::string_view token) {
    if (peek() != token[0] || text_.compare(position_, token.size(), token) != 0) return false;
    take(token.size());
    return true;
  }
  bool accept(char token) {
    if (peek() != token) return false;
    take(1);
    return true;
  }
  // Fails with "expected TOKEN, found ..." otherwise.
  void expect(char token) {
    if (!accept(token)) fail_expected(token);
  }
  // Letters, digits and '_', not starting with a digit; empty when there is none. `accept_word` takes the whole word.
  std::string_view word();
  bool accept_word(std::string_view word) { return peek() == word[0] && accept_whole(word); }
  // The longest run of characters for which `belongs(text, position)` holds.
  template <class Belongs>
  std::string_view run(Belongs belongs) {
    size_t end = position_;
    while (end < text_.size() && belongs(text_, end)) ++end;
    return take(end - position_);
  }
  // The text up to the first of `ends` outside brackets, without trailing spaces; empty when a line end, a string or a
  // comment comes first. Does not consume it; `skip` does. Equal texts have equal meanings, so callers may cache by
  // text.
  std::string_view until(std::string_view ends) const;
  void skip(std::string_view ahead) { take(ahead.size()); }
  // The next token, for messages: "'}'", "\"foo\"", "the end".
  std::string found() const;
  // A "..." string with the escapes \" \\ \n, and \xNN for a byte; a '\' before another character stands for itself.
  std::string quoted();

 private:
  bool accept_whole(std::string_view word);
  [[noreturn]] void fail_expected(char token) const;
  std::string_view take(size_t length) {
    const std::string_view token = text_.substr(position_, length);
    position_ += length;
    if (position_ < text_.size() && text_[position_] <= '/') skip_space();
    return token;
  }
  void skip_space();

  std::string_view text_;
  const std::string& name_;
  size_t position_   = 0;
  uint32_t line_     = 1;
  size_t line_start_ = 0;
};

}  // namespace foreflow
