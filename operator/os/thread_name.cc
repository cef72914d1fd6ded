#include "operator/os/thread_name.h"

#include <pthread.h>

namespace ballast::os {
namespace {

std::string NameOfThisThread() {
  char name[kMaxThreadName + 1] = "";
  pthread_getname_np(pthread_self(), name, sizeof(name));
  return name;
}

}  // namespace

void NameThisThread(std::string_view name) {
  pthread_setname_np(pthread_self(), std::string(name.substr(0, kMaxThreadName)).c_str());
}

NameForNewThreads::NameForNewThreads(std::string_view name) : own_(NameOfThisThread()) {
  NameThisThread(name);
}

NameForNewThreads::~NameForNewThreads() { NameThisThread(own_); }

}  // namespace ballast::os
