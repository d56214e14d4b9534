#include "support/command.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "foreflow/base/text.h"
#include "support/temporary.h"

namespace foreflow::test {
namespace {

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string kibibytes(size_t bytes) { return bytes == 0 ? "unlimited" : std::to_string(bytes / 1024); }

// The child does not inherit that signals are ignored, as children of `nohup` and of a shell's background jobs do.
class DefaultSignals {
 public:
  DefaultSignals() {
    sigset_t signals{};
    ::sigemptyset(&signals);
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE}) ::sigaddset(&signals, signal);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF);
  }
  DefaultSignals(const DefaultSignals&)            = delete;
  DefaultSignals& operator=(const DefaultSignals&) = delete;
  ~DefaultSignals() { posix_spawnattr_destroy(&attributes_); }

  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

// stdout goes to `out_file` where it is given.
CommandResult spawn(const std::string& program, const std::vector<std::string>& arguments, const std::string& out_file,
                    const std::filesystem::path& folder) {
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const TemporaryFolder captured;
  const std::string out = out_file.empty() ? captured / "out" : out_file;
  const std::string err = captured / "err";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  const DefaultSignals signals;
  pid_t child      = 0;
  const int failed = posix_spawnp(&child, program.c_str(), &actions, signals.attributes(), argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::system_error(failed, std::generic_category(), program);
  const int exit_code = wait_for(child);
  return {exit_code, out_file.empty() ? read_file(out) : "", read_file(err)};
}

}  // namespace

CommandResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          const std::filesystem::path& folder) {
  return spawn(program, arguments, "", folder);
}

CommandResult run_foreflow(const std::vector<std::string>& arguments, const std::filesystem::path& folder) {
  return run_program(FOREFLOW_COMMAND, arguments, folder);
}

CommandResult run_foreflow_under(const Ceiling& ceiling, const std::vector<std::string>& arguments,
                                 const std::filesystem::path& folder) {
  constexpr size_t kBlock        = 512;  // the unit of ulimit -f
  std::vector<std::string> words = {"-c",
                                    R"(ulimit -v "$1" && ulimit -f "$2" && ulimit -t "$3" && shift 3 && exec "$@")",
                                    "sh",
                                    kibibytes(ceiling.address_space),
                                    ceiling.file_size == 0 ? "unlimited" : std::to_string(ceiling.file_size / kBlock),
                                    ceiling.cpu_seconds == 0 ? "unlimited" : std::to_string(ceiling.cpu_seconds),
                                    FOREFLOW_COMMAND};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return spawn("sh", words, ceiling.out, folder);
}

}  // namespace foreflow::test
