// The flags of `ballast operator` for the admission webhook.
//
// Thread-safety: main thread only.
// Errors: none; wrong values are reported when the command line is parsed.
#pragma once

#include "operator/admission/webhook.h"
#include "operator/flags/command_line.h"

namespace ballast::app {

// `options` must live until the command line is parsed. An address without all that the
// certificates need is a validation error.
void AddWebhookOptions(flags::Command& command, admission::WebhookOptions& options);

}  // namespace ballast::app
