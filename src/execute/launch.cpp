#include "execute/launch.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "foreflow/base/error.h"

namespace foreflow::execute {
namespace {

constexpr int kNoProgram = 127;

[[noreturn]] void become(std::vector<char*> words, const std::string& log) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  const int nothing = ::open("/dev/null", O_RDONLY);
  const int output  = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::execvp(words[0], words.data());
  ::_exit(kNoProgram);
}

bool has_ended(pid_t child, int options, int& status) {
  const pid_t answer = ::waitpid(child, &status, options);
  return answer == child || (answer < 0 && errno != EINTR);
}

// mpirun ends its processes when it is asked to end.
void end_group(pid_t child, int& status) {
  using namespace std::chrono_literals;
  ::kill(-child, SIGTERM);
  for (int i = 0; i < 100; ++i) {
    if (has_ended(child, WNOHANG, status)) return;
    std::this_thread::sleep_for(50ms);
  }
  ::kill(-child, SIGKILL);
  while (!has_ended(child, 0, status)) {
  }
}

}  // namespace

Ended run_program(const std::vector<std::string>& words, const std::string& log, const std::function<bool()>& started,
                  Seconds patience) {
  std::vector<std::string> copies = words;
  std::vector<char*> argv;
  for (std::string& word : copies) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw Error(words[0], std::string("cannot be started: ") + std::strerror(errno));
  if (child == 0) become(argv, log);
  const auto begin = std::chrono::steady_clock::now();
  Ended ended;
  int status = 0;
  auto pause = std::chrono::milliseconds(1);
  while (!has_ended(child, WNOHANG, status)) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    if (elapsed.count() > patience.value() && !started()) {
      ended.never_started = true;
      end_group(child, status);
      break;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(20));
  }
  ended.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
}

}  // namespace foreflow::execute
