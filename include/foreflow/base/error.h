// Errors. `Error` is the only exception that tells a user that the input is wrong; only `main` turns it into text.
#pragma once

#include <stdexcept>
#include <string>

namespace foreflow {

// The input is wrong. `where` names the place in the user's terms ("gpt.json: $.strategy.tp", "mlp.distir:12:7");
// `what` says what is wrong and what would be right. what() of the exception is "WHERE: WHAT", one line: both may quote
// the input, so they are stored as escape::terminal writes them.
class Error : public std::runtime_error {
 public:
  Error(const std::string& where, const std::string& what);
  const std::string& where() const { return where_; }
  const std::string& problem() const { return problem_; }

 private:
  std::string where_;
  std::string problem_;
};

// An Error whose `where` is only a part of its subject ("type", "attribute axis"). A caller that knows the place of the
// subject catches it and throws an Error with the full place.
class PartError : public Error {
 public:
  using Error::Error;
};

// The program is wrong: an invariant that no input can break was broken.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void fail_check(const char* condition, const std::string& why, const char* file, int line);

}  // namespace foreflow

// Checks an invariant of the program (never of the input). Throws InternalError with `why`.
#define FOREFLOW_CHECK(condition, why)                                             \
  do {                                                                             \
    if (!(condition)) ::foreflow::fail_check(#condition, why, __FILE__, __LINE__); \
  } while (false)
