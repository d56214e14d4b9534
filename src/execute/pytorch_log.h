// The log that the script of lower/pytorch.h writes with --log. It says when the iterations and the ops of every
// process began and ended.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/units.h"

namespace foreflow::execute {

// Times count from an arbitrary moment, which is the same for all processes.
struct LoggedOp {
  size_t signature = 0;  // index into ProcessLog::signatures
  Seconds begin, end;
};

struct LoggedIteration {
  Seconds begin, end;
  std::vector<LoggedOp> ops;  // in the order of their execution; none without --time-ops
};

struct ProcessLog {
  std::vector<std::string> signatures;  // the remarks behind the statements of the script
  std::vector<LoggedIteration> iterations;
};

// By rank. Throws Error naming `file` and the path in it when it is no such log.
std::vector<ProcessLog> parse_log(std::string_view text, const std::string& file);

// The iterations number `turn`, `turn` + `turns`, `turn` + 2 * `turns`, ... of every process.
std::vector<ProcessLog> every(const std::vector<ProcessLog>& logs, size_t turns, size_t turn);

}  // namespace foreflow::execute
