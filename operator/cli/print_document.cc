#include "operator/cli/print_document.h"

#include <iostream>

#include "api/json/yaml.h"

namespace ballast::cli {

void PrintDocument(const std::string& json, DocumentOutput output) {
  std::cout << (output == DocumentOutput::kYaml ? JsonTextToYaml(json) : json + "\n");
}

}  // namespace ballast::cli
