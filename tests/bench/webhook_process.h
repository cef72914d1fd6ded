// The webhook in a process of its own, so that benchmarks can measure what it uses.
//
// Thread-safety: owning thread only.
// Errors: aborts if the process cannot be started or measured.
#pragma once

#include <sys/types.h>

#include <string>

#include "tests/support/certificate_authority.h"

namespace ballast::bench {

struct Usage {
  double cpu_seconds = 0;
  double waiting_seconds = 0;  // runnable, but without a core
  double resident_mib = 0;
  double peak_mib = 0;  // maximum of the resident memory
};

class WebhookProcess {
 public:
  // Forks: construct it before any other threads start.
  WebhookProcess();
  ~WebhookProcess();  // kills it
  WebhookProcess(const WebhookProcess&) = delete;
  WebhookProcess& operator=(const WebhookProcess&) = delete;

  const std::string& address() const { return address_; }
  std::string ca() const { return authority_.certificate(); }
  Usage usage() const;

 private:
  const support::CertificateAuthority authority_;
  pid_t process_ = -1;
  std::string address_;
};

}  // namespace ballast::bench
