// What a stranger's names and words become in a generated PyTorch script: text of the same program, never code.
#include <gtest/gtest.h>

#include <filesystem>

#include "foreflow/base/json.h"
#include "foreflow/base/text.h"
#include "foreflow/ir/text.h"
#include "foreflow/lower/project.h"
#include "foreflow/lower/pytorch.h"
#include "foreflow/ops/table.h"
#include "lower/pytorch/python.h"
#include "lower/pytorch/runtime.h"
#include "support/command.h"
#include "support/hostile_names.h"
#include "support/strict_readers.h"
#include "support/temporary.h"

namespace foreflow::hostile_scripts_test {
namespace {

using test::hostile_names;
using test::HostileName;

constexpr std::string_view kProgram = R"(func @half(%x) {
  %y = Relu(%x)
  return %y
}

func @main(%x: Tensor[Float32, (4,), 1]) {
  %y = @half(%x)
  %z = Send(%y, 2)
  return %z
}
)";

std::string script_of(std::string_view program, const std::string& title) {
  const ir::Module module = ir::parse(program, "p.distir", ops::table());
  const auto types        = interpret::interpret_mixed(module, module.functions.size() - 1);
  return lower::pytorch_script(lower::project(module, types, ops::table(), lower::Grain::gpu), title);
}

// The second line has the title; Python looks for the encoding of a file in the first two.
TEST(HostileTitles, ChangeOneCommentOfAScript) {
  const std::vector<std::string> expected = split(script_of(kProgram, test::kHarmlessName), '\n');
  for (const HostileName& name : hostile_names()) {
    SCOPED_TRACE(name.label);
    const std::string script       = script_of(kProgram, name.bytes);
    std::vector<std::string> lines = split(script, '\n');
    EXPECT_NO_THROW(test::read_terminal(script));
    ASSERT_EQ(lines.size(), expected.size());
    EXPECT_TRUE(lines[1].starts_with("# ")) << lines[1];
    EXPECT_TRUE(lines[1].ends_with(": 2 processes.")) << lines[1];
    EXPECT_EQ(lines[1].find("coding:"), std::string::npos) << lines[1];
    EXPECT_EQ(lines[1].find("coding="), std::string::npos) << lines[1];
    lines[1] = expected[1];
    EXPECT_EQ(lines, expected);
  }
}

TEST(HostileTitles, LeaveTheMarksOfTheProgramWhereTheyAre) {
  const std::string expected = script_of(kProgram, test::kHarmlessName);
  for (const HostileName& name : hostile_names()) {
    const std::string script = script_of(kProgram, name.bytes);
    for (const char* mark : {"# --- program", "# --- end of program"})
      EXPECT_EQ(script.substr(script.find(mark)), expected.substr(expected.find(mark))) << name.label;
  }
}

// Runs Python's own reader of Python, which needs no torch.
test::CommandResult run_python(const std::string& code, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"-c", code};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return test::run_program("python3", words);
}

bool has_python() {
  try {
    return run_python("import ast, builtins", {}).exit_code == 0;
  } catch (const std::system_error&) {
    return false;
  }
}

TEST(HostileTitles, AreNoStatementsForPython) {
  if (!has_python()) GTEST_SKIP() << "no python3 here";
  const test::TemporaryFolder folder;
  write_file(folder / "harmless.py", script_of(kProgram, test::kHarmlessName));
  for (const HostileName& name : hostile_names())
    write_file(folder / (name.label + ".py"), script_of(kProgram, name.bytes));
  const auto result = run_python(R"(
import ast, pathlib, sys
trees = {path.name: ast.dump(ast.parse(path.read_bytes())) for path in pathlib.Path(sys.argv[1]).glob("*.py")}
sys.exit(" ".join(name for name in trees if trees[name] != trees["harmless.py"]) or None)
)",
                                 {folder.path().string()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

// JSON replaces what is not.
bool is_utf8(const std::string& text) { return Json(text).dump_compact().find("\ufffd") == std::string::npos; }

TEST(HostileWords, EvaluateToThemselvesInPython) {
  if (!has_python()) GTEST_SKIP() << "no python3 here";
  const test::TemporaryFolder folder;
  std::string literals;
  for (const HostileName& name : hostile_names()) {
    const std::string literal = lower::python::literal(ir::Attribute(name.bytes));
    EXPECT_EQ(literal.find('#'), std::string::npos) << name.label;  // where the script looks for its comments
    literals += literal + "\n";
    write_file(folder / name.label, is_utf8(name.bytes) ? name.bytes : "");
  }
  write_file(folder / "literals", literals);
  std::vector<std::string> arguments = {folder.path().string()};
  for (const HostileName& name : hostile_names()) arguments.push_back(name.label);
  const auto result = run_python(R"(
import ast, os, sys
folder, labels = sys.argv[1], sys.argv[2:]
with open(os.path.join(folder, "literals"), "rb") as file:
    lines = file.read().split(b"\n")[:-1]
assert len(lines) == len(labels)
for label, line in zip(labels, lines):
    with open(os.path.join(folder, label), "rb") as file:
        expected = file.read()
    value = ast.literal_eval(line.decode())
    if not isinstance(value, str) or (expected and value.encode() != expected):
        sys.exit(label)
)",
                                 arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

// Functions and values of every name that Python or the runtime gives a meaning to.
std::string program_of_reserved_names() {
  std::set<std::string> names = lower::runtime::script_names();
  names.merge(std::set<std::string>{"__debug__", "__builtins__", "__name__", "__file__", "__import__", "match", "case",
                                    "a/b", "a_b", "a::b", "a__b", "f_2", "self"});
  std::string functions, calls, results;
  for (const std::string& name : names) {
    functions += "func @" + name + "(%" + name + ") {\n  %r = Relu(%" + name + ")\n  return %r\n}\n\n";
    calls += "  %" + name + " = @" + name + "(%entry.x)\n";
    results += (results.empty() ? "%" : ", %") + name;
  }
  return functions + "func @entry(%entry.x: Tensor[Float32, (4,)]) {\n" + calls + "  return " + results + "\n}\n";
}

TEST(HostileIdentifiers, HideNothingThatAScriptNeeds) {
  if (!has_python()) GTEST_SKIP() << "no python3 here";
  const test::TemporaryFolder folder;
  write_file(folder / "run.py", script_of(program_of_reserved_names(), "test"));
  const auto result = run_python(R"(
import ast, builtins, sys
with open(sys.argv[1]) as file:
    text = file.read()
tree = ast.parse(text)
compile(tree, "run.py", "exec")
first, last = (text[:text.index(mark)].count("\n") for mark in ("# --- program", "# --- end of program"))
bound = [name.id for node in tree.body for name in ast.walk(node)
         if isinstance(node, ast.Assign) and isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)]
bound += [node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
bound += [alias.asname or alias.name.split(".")[0] for node in tree.body
          if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names if alias.asname or "." not in alias.name]
twice = {name for name in bound if bound.count(name) > 1}
assert not twice, twice
program = [node for node in tree.body if isinstance(node, ast.FunctionDef) and first < node.lineno < last]
assert len(program) > 200, len(program)
hidden = {node.name for node in program} & set(dir(builtins))
assert not hidden, hidden
for function in program:
    local = {name.id for name in ast.walk(function) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}
    local |= {argument.arg for argument in function.args.args}
    called = {call.func.id for call in ast.walk(function) if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)}
    assert not local & called, (function.name, local & called)
    assert not local & {"torch", "F", "dist", "teams", "numbers", "device"}, function.name
)",
                                 {folder / "run.py"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST(HostileFiles, OfDifferentNamesAreDifferent) {
  const std::string script = script_of(
      "func @f(%a/b: Tensor[Float32, (4,)], %a_b: Tensor[Float32, (4,)], %c/d: Tensor[Float32, (4,)]) {\n"
      "  %x = Add(%a/b, %a_b)\n  %y = Add(%x, %c/d)\n  return %y\n}\n",
      "test");
  EXPECT_NE(script.find("        ('a_b', ((4,), float32)),\n"), std::string::npos) << script;
  EXPECT_NE(script.find("        ('a_b-"), std::string::npos) << script;
  EXPECT_NE(script.find("        ('c_d', ((4,), float32)),\n"), std::string::npos) << script;
}

TEST(HostileFiles, AreRefusedWhereATupleWouldShareThem) {
  EXPECT_EQ(lower::file_stems({{"t", true}, {"u.0", false}}).at("t"), "t");
  EXPECT_EQ(lower::file_stems({{"t", false}, {"t.0", false}}).at("t.0"), "t.0");
  EXPECT_THROW(lower::file_stems({{"t", true}, {"t.0", false}}), Error);
}

}  // namespace
}  // namespace foreflow::hostile_scripts_test
