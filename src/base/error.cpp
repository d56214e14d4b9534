#include "foreflow/base/error.h"

#include "foreflow/base/escape.h"

namespace foreflow {

Error::Error(const std::string& where, const std::string& what)
    : std::runtime_error(escape::terminal(where + ": " + what)),
      where_(escape::terminal(where)),
      problem_(escape::terminal(what)) {}

void fail_check(const char* condition, const std::string& why, const char* file, int line) {
  throw InternalError(why + " (" + condition + " at " + file + ":" + std::to_string(line) + ")");
}

}  // namespace foreflow
