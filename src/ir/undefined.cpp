#include "ir/undefined.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/base/scanner.h"
#include "foreflow/ir/cycle.h"
#include "ir/literal.h"

namespace foreflow::ir {
namespace {

struct Statement {
  uint32_t line = 0;
  std::string op;
  std::vector<std::string_view> targets, uses;
};

// Statements as far as the text has their form; knows brackets, names and '=', and neither ops nor types.
class LooseReader {
 public:
  LooseReader(std::string_view text, const std::string& name) : scanner_(text, name) {}

  std::vector<Statement> read(std::string_view function) {
    while (!scanner_.at_end()) {
      if (!scanner_.accept_word("func")) {
        skip_token();
        continue;
      }
      scanner_.accept("@");
      const bool wanted = scan_name(scanner_) == function;
      while (!scanner_.at_end() && scanner_.peek() != '{') skip_token();
      scanner_.accept("{");
      if (!wanted) continue;
      while (!scanner_.at_end() && scanner_.peek() != '}' && !scanner_.accept_word("return")) read_statement();
      break;
    }
    return std::move(statements_);
  }

 private:
  void skip_token() {
    if (scanner_.peek() == '"') {
      scanner_.quoted();
    } else if (scan_name(scanner_).empty()) {
      scanner_.accept(std::string(1, scanner_.peek()));
    }
  }

  // Until the bracket that closes the arguments.
  void read_statement() {
    Statement statement;
    statement.line       = scanner_.line();
    bool right_of_equals = false;
    for (int depth = 0; !scanner_.at_end();) {
      const char c = scanner_.peek();
      if (depth == 0 && c == '}') break;
      if (scanner_.accept("%")) {
        (right_of_equals ? statement.uses : statement.targets).push_back(scan_name(scanner_));
        continue;
      }
      if (depth == 0 && scanner_.accept("=")) {
        right_of_equals = true;
        if (scanner_.accept("@")) statement.op = "@";
        statement.op += scan_name(scanner_);
        continue;
      }
      depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
      skip_token();
      if (right_of_equals && depth == 0 && c == ')') break;
    }
    statements_.push_back(std::move(statement));
  }

  Scanner scanner_;
  std::vector<Statement> statements_;
};

// Reads the statements up to the first place that cannot be read, if there is one. A message about that place would
// hide ours.
std::vector<Statement> read_statements(std::string_view text, std::string_view function) {
  const std::string name;
  try {
    return LooseReader(text, name).read(function);
  } catch (const Error&) {
    return {};
  }
}

// "%a (Add, line 3) -> %b (Mul, line 4) -> %a": each is read by the next. Empty when there is no cycle.
std::string describe_cycle(const std::vector<Statement>& statements, const std::map<std::string_view, size_t>& makers) {
  std::vector<std::vector<int32_t>> readers(statements.size());
  for (size_t s = 0; s < statements.size(); ++s) {
    for (const std::string_view use : statements[s].uses) {
      if (makers.contains(use)) readers[makers.at(use)].push_back(static_cast<int32_t>(s));
    }
  }
  const std::vector<int32_t> cycle = find_cycle(readers);
  if (cycle.empty()) return {};
  // The result that the next statement reads.
  const auto link = [&](size_t i) {
    const Statement& here = nth(statements, cycle[i]);
    const auto& uses      = nth(statements, cycle[(i + 1) % cycle.size()]).uses;
    return "%" + std::string(*std::find_if(here.targets.begin(), here.targets.end(), [&](std::string_view target) {
             return std::find(uses.begin(), uses.end(), target) != uses.end();
           }));
  };
  constexpr size_t kShown = 8;
  std::string text;
  for (size_t i = 0; i < std::min(kShown, cycle.size()); ++i) {
    const Statement& statement = nth(statements, cycle[i]);
    text += link(i) + " (" + statement.op + ", line " + std::to_string(statement.line) + ") -> ";
  }
  if (cycle.size() > kShown) text += "... (" + std::to_string(cycle.size()) + " ops) -> ";
  return text + link(0);
}

}  // namespace

std::string explain_undefined(std::string_view text, std::string_view function, std::string_view name) {
  const std::string problem               = "%" + std::string(name) + " is used before it is defined";
  const std::vector<Statement> statements = read_statements(text, function);
  std::map<std::string_view, size_t> makers;
  for (size_t s = 0; s < statements.size(); ++s) {
    for (const std::string_view target : statements[s].targets) makers.emplace(target, s);
  }
  if (!makers.contains(name)) return problem + "; nothing in @" + std::string(function) + " defines it";
  const std::string cycle = describe_cycle(statements, makers);
  if (!cycle.empty()) return problem + "; the definitions form a cycle: " + cycle;
  return problem + ", in line " + std::to_string(statements[makers.at(name)].line) + "; move that line up";
}

}  // namespace foreflow::ir
