#include "operator/net/pem.h"

#include <gtest/gtest.h>

#include "tests/support/certificate_authority.h"

namespace ballast::net {
namespace {

TEST(ReadCertificates, SkipsWhatCannotBeRead) {
  const std::string good = support::CertificateAuthority().certificate();
  const auto block = [](const std::string& what) {
    return "-----BEGIN CERTIFICATE-----\n" + what + "\n-----END CERTIFICATE-----\n";
  };
  const std::string half = good.substr(0, good.size() / 2);
  const struct {
    std::string pem;
    std::size_t certificates;
  } kCases[] = {
      {"about\n" + good + "more\n" + good, 2},
      {block("!!!!") + good, 1},
      {good + block("Zm9v") + good, 2},
      {good + block("") + good, 2},
      {good + half, 1},
      {half, 0},
      {block("Zm9v"), 0},
      {"Zm9v", 0},
      {"", 0},
  };
  for (const auto& c : kCases) {
    const auto read = ReadCertificates(c.pem);
    EXPECT_EQ(read.ok() ? read->size() : 0, c.certificates) << c.pem;
  }
}

}  // namespace
}  // namespace ballast::net
