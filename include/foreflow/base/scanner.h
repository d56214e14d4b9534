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
  // Characters from here to the end of the text.
  size_t remaining() const { return text_.size() - position_; }
  std::string where() const { return name_ + ":" + std::to_string(line_) + ":" + std::to_string(position_ - line_start_ + 1); }
  [[noreturn]] void fail(const std::string& what) const { throw Error(where(), what); }

  // Consumes `token` if it stands here.
  bool accept(std::string_view token);
  // Fails with "expected TOKEN, found ..." otherwise.
  void expect(std::string_view token);
  // Letters, digits and '_', not starting with a digit; empty when there is none. `accept_word` takes the whole word.
  std::string_view word();
  bool accept_word(std::string_view word);
  // The longest run of characters for which `belongs(text, position)` holds.
  template <class Belongs>
  std::string_view run(Belongs belongs) {
    size_t end = position_;
    while (end < text_.size() && belongs(text_, end)) ++end;
    return take(end - position_);
  }
  // What stands here, for messages: "'}'", "\"foo\"", "the end".
  std::string found() const;
  // A "..." string with \" \\ \n escapes.
  std::string quoted();

 private:
  std::string_view take(size_t length);
  void skip_space();

  std::string_view text_;
  const std::string& name_;
  size_t position_   = 0;
  uint32_t line_     = 1;
  size_t line_start_ = 0;
};

}  // namespace foreflow
