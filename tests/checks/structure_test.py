#!/usr/bin/env python3
"""Tests what tests/checks/tree refuses in the program's structure."""

import unittest

from structure import circles, names, types

SOURCE = """
#include <string>

namespace ballast {
namespace {

struct Plain {
  int value = 0;
};
enum class Small : std::uint8_t { kOne };
template <typename T>
class Shape final : public Base<T> {
 public:
  struct Inner {
    class Deep {};
  };
  void Method() {
    struct Local {};
  }
};
class Wide
    : public Shape<int> {
  union Raw {
    int a;
  };
};
struct Forward;
void Function(int a,
              int b) {
  struct Local {
    int c;
  };
}
struct Wide::Outside {
  enum Old { kOld };
};

}  // namespace
}  // namespace ballast
"""


class StructureTest(unittest.TestCase):
    def test_finds_the_types_that_are_not_of_one_function(self):
        self.assertEqual(["Plain", "Small", "Shape", "Inner", "Deep", "Wide", "Raw", "Outside", "Old"],
                         [name for _, name in types(SOURCE)])

    def test_refuses_a_name_that_two_types_have(self):
        sources = {"a.h": "struct Step {\n};\nstruct Options {\n};", "b.cc": "class Walk {\n  enum Step { kA };\n};",
                   "c.h": "struct Options {\n};\nstruct Step;"}
        self.assertEqual(["b.cc:2: a.h:1 has another type Step; one of them is something else"], list(names(sources)))

    def test_refuses_a_circle(self):
        sources = {"x/a.h": '#include "x/b.h"', "x/b.cc": '#include "x/b.h"\n#include "x/c.h"', "x/c.h": "",
                   "x/c.cc": '#include "x/a.h"'}
        self.assertEqual(["x/a: it includes itself by way of x/b, x/c"], list(circles(sources)))

    def test_allows_an_order(self):
        sources = {"x/a.h": '#include "x/b.h"', "x/a.cc": '#include "x/a.h"\n#include "y/a.h"', "x/b.h": "",
                   "y/a.h": '#include "x/a.h"', "x/b.cc": '#include "x/b.h"'}
        self.assertEqual([], list(circles(sources)))


if __name__ == "__main__":
    unittest.main()
