#include "support/hostile_names.h"

namespace foreflow::test {

using namespace std::string_literals;

const std::vector<HostileName>& hostile_names() {
  static const std::vector<HostileName> kNames = {
      {"PythonStatement", "x\nimport os\nos.system('touch owned')\n#"},
      {"CarriageReturn", "x\rimport os"},
      {"TripleQuotes", R"(""" + ''' + open("owned", "w") + ''' """)"},
      {"QuoteAndParen", "'); import os; ('"},
      {"TrailingBackslash", "x\\"},
      {"CodingUtf7", "-*- coding: utf-7 -*- +AAo-import os"},
      {"CodingEquals", "vim: set fileencoding=latin-1 :"},
      {"ProgramMark", "--- program"},
      {"EndMark", "x # --- end of program"},
      {"FormatBraces", "{0}{}{{}} %s %n ${HOME} $(id) `id`"},
      {"ScriptElement", "</title></style></text></svg><script>alert(1)</script>"},
      {"ImageElement", "<img src=x onerror=alert(1)>"},
      {"AttributeEnd", "\"><script>alert(1)</script>"},
      {"Attribute", "\" onmouseover=\"alert(1)\" x='"},
      {"Entity", "&lt;b&gt; &amp; &#0; &nosuch;"},
      {"CommentEnd", "--> <!-- ]]> <![CDATA["},
      {"Formula", "=HYPERLINK(\"http://example.invalid\",\"x\")"},
      {"FormulaPlus", "+1+cmd|' /C calc'!A0"},
      {"FormulaMinus", "-2+3"},
      {"FormulaAt", "@SUM(1+1)"},
      {"FormulaAtName", "@forward"},
      {"FormulaTab", "\t=1+1"},
      {"FormulaReturn", "\r=1+1"},
      {"FormulaFullWidth", "\uff1d1+1"},
      {"CsvRow", "a,b\n1,2\r\n\"c\"\"d"},
      {"DotStatement", "x\"]; evil [label=\"y"},
      {"DotEscape", "\\N \\G \\l \\\" \\\\"},
      {"MarkdownTable", "a | b\n|---|---|"},
      {"ErrorLine", "x\nforeflow: error: all is well: really"},
      {"ClearScreen", "\x1b[2J\x1b[H\x1b]0;title\x07"},
      {"BackspaceBell", "safe\b\b\b\b\aevil"},
      {"ControlsC0", "\x01\x02\x03\x0b\x0c\x1c\x1f"},
      {"ControlsC1", "\u0085\u009b31mred\u009d0;t\u009c"},
      {"RawC1Bytes", "\x9b\x33\x31m red"},
      {"Delete", "a\x7f\x7f"},
      {"Nul", "a\0b"s},
      {"BidiOverride", "\u202egnp.exe\u202c\u2066x\u2069"},
      {"LineSeparators", "a\u2028b\u2029c"},
      {"ByteOrderMark", "\ufeffx"},
      {"Tags", "x\U000e0041\U000e007f"},
      {"BrokenUtf8", "\xff\xfe\xc3(\xe2\x82 \xf0\x9f\x98"},
      {"Overlong", "\xc0\xaf\xe0\x80\xbc\xf8\x88\x80\x80\x80"},
      {"Surrogate", "\xed\xa0\x80\xed\xb0\x80"},
      {"NonCharacter", "\uffff\ufffe"},
      {"Traversal", "../../../../tmp/owned"},
      {"AbsolutePath", "/etc/passwd"},
      {"Dots", ".."},
      {"Space", " "},
      {"Long", std::string(5000, 'n')},
      {"LongAndOdd", std::string(400, '\n')},
      {"Unicode", "naïve Größe 模型 \U0001f642"},
  };
  return kNames;
}

}  // namespace foreflow::test
