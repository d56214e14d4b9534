// A forked child process, its two pipes, and what it wrote.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/process.h"

namespace foreflow {

// The receiving end of a pipe and what came through it.
struct Pipe {
  int descriptor = -1;
  std::string bytes;

  bool open() const { return descriptor >= 0; }
  void read_some();
  void close();
};

// How many bytes follow, as it is sent before a request or an answer.
struct Length {
  static constexpr size_t kBytes = sizeof(size_t);
  static std::string of(std::string_view bytes);
  // Nothing if there are fewer than kBytes.
  static std::optional<size_t> in(std::string_view bytes);
};

// Encodes what `work` returns or throws as bytes. Errors keep their type; bad_alloc becomes ChildDied at `where`.
std::string answer_of(const std::string& where, const std::function<std::string()>& work);
// Decodes such bytes: returns what was returned, or throws what was thrown (InternalError for other exceptions).
std::string unpack(std::string answer);

// Writes the length of an answer and its bytes; ends the process when the reading end is closed.
void write_answer(int descriptor, std::string_view answer);

// A running child. It never outlives this object, whose destructor kills a child whose answer was not taken, nor the
// parent, however that ends.
class Child {
 public:
  // The child runs `body` with the descriptor that it is to write its answers to. `where` names its work in the Error
  // of a child that dies.
  Child(size_t index, std::string where, const std::function<void(int descriptor)>& body);
  Child(const Child&)            = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  size_t index() const { return index_; }
  const std::string& where() const { return where_; }
  bool finished() const { return !answer_.open() && !messages_.open(); }

  // Adds the two pipes to `waiting`; a closed one has the descriptor -1, which poll ignores.
  void append_to(std::vector<pollfd>& waiting) const;
  void receive(const pollfd& answer, const pollfd& messages);

  // The next answer, given once; nothing while it is not complete.
  std::optional<std::string> next();
  // Returns the text that the child has written to stderr so far.
  std::string& messages() { return messages_.bytes; }

  // The answer of a finished child. Throws ChildDied when there is none, or when the child did not exit normally.
  std::string take();
  // How a child ended that should have kept running.
  ChildDied died();

 private:
  int wait();
  ChildDied death(int status) const;

  size_t index_;
  std::string where_;
  pid_t pid_ = -1;
  Pipe answer_;
  Pipe messages_;  // the child's stderr
};

// Waits until a pipe of these children has data, and reads it; no longer than so many milliseconds (negative: for
// ever), nor than until a signal comes.
void receive_any(const std::vector<Child*>& children, int milliseconds = -1);

}  // namespace foreflow
