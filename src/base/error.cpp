#include "foreflow/base/error.h"

namespace foreflow {

Error::Error(std::string where, std::string what)
    : std::runtime_error(where + ": " + what), where_(std::move(where)), problem_(std::move(what)) {}

void fail_check(const char* condition, const std::string& why, const char* file, int line) {
  throw InternalError(why + " (" + condition + " at " + file + ":" + std::to_string(line) + ")");
}

}  // namespace foreflow
