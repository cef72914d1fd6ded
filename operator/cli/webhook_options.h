// The flags of `ballast operator` that concern the admission webhook.
//
// Thread-safety: used by main's thread only.
#pragma once

#include "operator/admission/webhook.h"
#include "operator/cli/command.h"

namespace ballast::cli {

// `options` must live as long as the program is parsed.
void AddWebhookOptions(CLI::App& command, admission::WebhookOptions& options);

// kInvalid: an address, but not all that the certificates need.
Status CheckWebhookOptions(const admission::WebhookOptions& options);

}  // namespace ballast::cli
