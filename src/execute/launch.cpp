#include "execute/launch.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

#include "execute/guardian.h"
#include "foreflow/base/error.h"

namespace foreflow::execute {

Ended run_program(const Launch& launch) {
  int life[2];  // the guardian reads the end of it when this process is gone, or closes it
  const auto fail = [&] { throw Error(launch.words[0], std::string("cannot be started: ") + std::strerror(errno)); };
  if (::pipe2(life, O_CLOEXEC) != 0) fail();
  const pid_t guardian = ::fork();
  if (guardian < 0) fail();
  if (guardian == 0) {
    ::close(life[1]);
    guard(launch, life[0]);
  }
  ::close(life[0]);
  const auto begin = std::chrono::steady_clock::now();
  Ended ended;
  std::optional<int> status;
  auto pause = std::chrono::milliseconds(1);
  while (!(status = status_of(guardian, Wait::not_at_all))) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    ended.never_started                         = elapsed.count() > launch.patience.value() && !launch.started();
    ended.interrupted                           = launch.interrupted();
    if (ended.never_started || ended.interrupted) {
      ::close(life[1]);
      life[1] = -1;
      status  = status_of(guardian, Wait::until_then);
      break;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(20));
  }
  if (life[1] >= 0) ::close(life[1]);
  ended.exit_code = exit_code_of(*status);
  return ended;
}

}  // namespace foreflow::execute
