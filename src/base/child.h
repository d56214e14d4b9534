// One forked child that computes a string: its life, its two pipes and its answer.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace foreflow {

// The receiving end of a pipe and what came through it.
struct Pipe {
  int descriptor = -1;
  std::string bytes;

  bool open() const { return descriptor >= 0; }
  void read_some();
  void close();
};

// A running child. Never outlives this object: the destructor kills a child whose answer was not taken.
class Child {
 public:
  // `where` names the work in the Error of a child that dies.
  Child(size_t index, std::string where, const std::function<std::string()>& work);
  Child(const Child&)            = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  size_t index() const { return index_; }
  bool finished() const { return !answer_.open() && !messages_.open(); }

  // Adds the two pipes to `waiting`; a closed one has the descriptor -1, which poll ignores.
  void append_to(std::vector<pollfd>& waiting) const;
  void receive(const pollfd& answer, const pollfd& messages);

  // The answer of a finished child; throws what the work threw, or an Error when the child died.
  std::string take();

 private:
  int wait();
  std::string death(int status) const;

  size_t index_;
  std::string where_;
  pid_t pid_ = -1;
  Pipe answer_;
  Pipe messages_;  // the child's stderr
};

}  // namespace foreflow
