// One forked child that writes bytes: its life, its two pipes and what it wrote.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <functional>
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

// What `work` has to say as bytes: what it returns or throws; ChildDied at `where` when it runs out of memory.
std::string answer_of(const std::string& where, const std::function<std::string()>& work);
// The other way round: returns what was returned, throws what was thrown (InternalError for other exceptions).
std::string unpack(std::string answer);

// Writes everything; ends the process when nobody reads it.
void write_all(int descriptor, std::string_view bytes);

// A running child. Never outlives this object: the destructor kills a child whose answer was not taken. Nor does it
// outlive the parent, however that ends.
class Child {
 public:
  // The child runs `body` with the descriptor that it is to write to. `where` names its work in the Error of a child
  // that dies.
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

  // What has come so far, and what it wrote to stderr.
  std::string& received() { return answer_.bytes; }
  std::string& messages() { return messages_.bytes; }

  // All that a finished child wrote; throws ChildDied when that is nothing or the child did not end by itself.
  std::string take();
  // A finished child that should have gone on: how it ended.
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

// Waits until some pipe of these children has news, and reads it.
void receive_any(const std::vector<Child*>& children);

}  // namespace foreflow
