#include "operator/cli/manifests/object_printer.h"

#include <iostream>

#include "api/json/yaml.h"

namespace ballast::cli {

void ObjectPrinter::Print(const json::Cursor& object, Syntax syntax) {
  if (syntax == Syntax::kJson) {
    std::cout << object.PrintIndented() << "\n";
  } else {
    std::cout << (first_ ? "" : "---\n") << JsonToYaml(object);
  }
  first_ = false;
}

}  // namespace ballast::cli
