// The process between `foreflow` and the program that it runs.
#pragma once

#include <sys/types.h>

#include "execute/launch.h"

namespace foreflow::execute {

enum class Wait : uint8_t { not_at_all, until_then };
// True when the child has ended; `status` is then its status from waitpid.
bool has_ended(pid_t child, Wait wait, int& status);
// 128 + the signal where one ended it.
int exit_code_of(int status);

// In the guardian: runs the program, and ends it with all its processes when the pipe `life` is closed at its other
// end. Exits with the program's exit code.
[[noreturn]] void guard(const Launch& launch, int life);

}  // namespace foreflow::execute
