// The webhook in a process of its own, for benchmarks: what it takes is its own.
//
// Thread-safety: the owner's.
#pragma once

#include <sys/types.h>

#include <string>

#include "tests/support/certificate_authority.h"

namespace ballast::bench {

struct Usage {
  double cpu_seconds = 0;
  double waiting_seconds = 0;  // ready to run, while others had the cores
  double resident_mib = 0;
  double peak_mib = 0;  // the most that was ever resident
};

class WebhookProcess {
 public:
  // Forks: threads come later.
  WebhookProcess();
  ~WebhookProcess();  // ends it
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
