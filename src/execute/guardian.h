// The guardian: a process between `foreflow` and the program that it runs, which ends all processes when `foreflow`
// dies.
#pragma once

#include <sys/types.h>

#include <optional>

#include "execute/launch.h"

namespace foreflow::execute {

enum class Wait : uint8_t { not_at_all, until_then };
// The status of the child from waitpid; nothing while it runs.
std::optional<int> status_of(pid_t child, Wait wait);
// 128 + the signal number when a signal ended it.
int exit_code_of(int status);

// Runs in the guardian: starts the program, and ends it and all its processes when the other end of the pipe `life` is
// closed. Exits with the program's exit code.
[[noreturn]] void guard(const Launch& launch, int life);

}  // namespace foreflow::execute
