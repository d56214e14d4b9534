#include "foreflow/base/error.h"

#include <algorithm>

namespace foreflow {

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, '?');
  return text;
}

Error::Error(std::string where, std::string what)
    : std::runtime_error(one_line(where + ": " + what)),
      where_(one_line(std::move(where))),
      problem_(one_line(std::move(what))) {}

void fail_check(const char* condition, const std::string& why, const char* file, int line) {
  throw InternalError(why + " (" + condition + " at " + file + ":" + std::to_string(line) + ")");
}

}  // namespace foreflow
