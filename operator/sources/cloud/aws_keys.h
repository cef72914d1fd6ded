// The keys that sign requests to AWS, as they are now: from files, of a role, or of the pod's
// identity. Those that are given for a while are kept until shortly before their end.
//
// Thread-safety: any thread.
// Errors: kUnavailable, with what gave none; those of reading a file. None has a key or a token.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "api/base/result.h"
#include "operator/process/clock.h"
#include "operator/sources/cloud/aws_signature.h"
#include "operator/sources/cloud/cloud_login.h"

namespace ballast::sources {

using AwsKeySource = std::function<Result<AwsKeys>()>;

// `proxy_url`: the way to the Security Token Service; empty: none. `clock` must outlive what is
// returned.
AwsKeySource MakeAwsKeySource(const AwsLogin& login, const std::string& proxy_url,
                              const process::Clock& clock, std::stop_token stop);

// Ok if the pod's token may be sent there, else kInvalid: over TLS, or to an address of this node.
Status CheckCredentialsUrl(const std::string& url);

}  // namespace ballast::sources
