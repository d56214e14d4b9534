#include "cli/process.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "foreflow/base/error.h"
#include "foreflow/base/memory.h"

namespace foreflow::cli {

void prepare_process() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // Opened in the wrong mode on purpose: reading or writing fails, as with a closed descriptor.
    if (::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) != descriptor) return;
  }
  std::signal(SIGXFSZ, SIG_IGN);
}

void check_stdout() {
  std::cout.flush();
  if (std::cout && std::ferror(stdout) == 0) return;
  errno = 0;  // once more, for the reason: the first failure may be long ago
  std::clearerr(stdout);
  std::fputc('\n', stdout);
  std::fflush(stdout);
  const std::string reason = errno == 0 ? "a part of the output is lost" : std::strerror(errno);
  throw Error("stdout", "cannot be written: " + reason);
}

MemoryReserve::MemoryReserve() {
  constexpr size_t kSize = 1U << 20U;
  bytes_                 = std::make_unique<char[]>(kSize);
  std::fill_n(bytes_.get(), kSize, '\1');  // pages that were never written to are not there yet
}

std::string memory_left() { return format(available_memory()); }

}  // namespace foreflow::cli
