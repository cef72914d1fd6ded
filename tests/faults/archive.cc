#include "tests/faults/archive.h"

#include <utility>

#include "store/sqlite/sqlite_backend.h"

namespace ballast::faults {

Archive::Archive(int number) : path_(std::to_string(number)), parts_(1) {}

void Archive::Opened(const std::string& identity, const store::Process& process) {
  if (std::exchange(identity_, identity) != identity) {
    parts_.push_back({process, {}});
  }
}

Status Archive::Write() {
  for (const Part& part : std::exchange(parts_, std::vector<Part>(1))) {
    if (part.process) {
      file_.reset();  // the file has one writer at a time
      file_ = store::MakeSqliteBackend(path_, {.process = part.process});
      TRY(file_->Open({}));
    }
    if (file_ != nullptr && !part.batch.empty()) {
      TRY(file_->Apply(part.batch));
    }
  }
  return Done{};
}

}  // namespace ballast::faults
