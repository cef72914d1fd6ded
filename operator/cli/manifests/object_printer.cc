#include "operator/cli/manifests/object_printer.h"

#include <iostream>

#include "api/json/yaml.h"

namespace ballast::cli {

void ObjectPrinter::Print(const json::Cursor& object, Syntax syntax) {
  const bool first = !syntax_;
  syntax_ = syntax_.value_or(syntax);
  if (*syntax_ == Syntax::kJson) {
    std::cout << object.PrintIndented() << "\n";
  } else {
    std::cout << (first ? "" : "---\n") << JsonToYaml(object);
  }
}

}  // namespace ballast::cli
