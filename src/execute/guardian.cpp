#include "execute/guardian.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

namespace foreflow::execute {
namespace {

constexpr int kNoProgram = 127;

[[noreturn]] void become_program(const Launch& launch, pid_t guardian) {
  std::vector<std::string> copies = launch.words;
  std::vector<char*> argv;
  for (std::string& word : copies) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != guardian) ::_exit(kNoProgram);  // it ended before the signal was asked for
  sigset_t none{};
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int nothing = ::open("/dev/null", O_RDONLY);
  const int output  = ::open(launch.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::execvp(argv[0], argv.data());
  ::_exit(kNoProgram);
}

// Processes that lost their parent are ours now (PR_SET_CHILD_SUBREAPER): it is killed with all that are left.
void kill_children() {
  for (int round = 0; round < 1000; ++round) {
    std::ifstream list("/proc/self/task/" + std::to_string(::getpid()) + "/children");
    for (pid_t child = 0; list >> child;) ::kill(child, SIGKILL);
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    if (::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

// Returns its status. On SIGTERM mpirun ends its processes and removes its files.
int end_program(pid_t program) {
  using namespace std::chrono_literals;
  ::kill(-program, SIGTERM);
  for (int i = 0; i < 100; ++i) {
    if (const std::optional<int> status = status_of(program, Wait::not_at_all)) return *status;
    std::this_thread::sleep_for(50ms);
  }
  ::kill(-program, SIGKILL);
  return status_of(program, Wait::until_then).value();
}

bool is_closed(int life, int milliseconds) {
  pollfd waiting{life, POLLIN, 0};
  return ::poll(&waiting, 1, milliseconds) > 0;
}

// The guardian closes all inherited descriptors, so that a reader of this process's output does not wait for the
// guardian to end.
void leave_terminal() {
  ::setsid();
  const int nothing = ::open("/dev/null", O_RDWR);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, descriptor);
}

}  // namespace

std::optional<int> status_of(pid_t child, Wait wait) {
  for (;;) {
    int status         = 0;
    const pid_t answer = ::waitpid(child, &status, wait == Wait::not_at_all ? WNOHANG : 0);
    if (answer == 0) return std::nullopt;
    if (answer > 0 || errno != EINTR) return status;
  }
}

int exit_code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

void guard(const Launch& launch, int life) {
  leave_terminal();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t self    = ::getpid();
  const pid_t program = ::fork();
  if (program == 0) become_program(launch, self);
  if (program < 0) ::_exit(kNoProgram);
  std::optional<int> status;
  int pause = 1;  // milliseconds
  while (!(status = status_of(program, Wait::not_at_all))) {
    if (is_closed(life, pause)) {
      status = end_program(program);
      break;
    }
    pause = std::min(2 * pause, 20);
  }
  kill_children();
  if (is_closed(life, 0)) launch.remove_files();  // the parent is gone; if it removes them too, that does no harm
  ::_exit(exit_code_of(*status));
}

}  // namespace foreflow::execute
