// The flags of `ballast operator` for the admission webhook.
//
// Thread-safety: main thread only.
// Errors: none; CLI11 reports wrong values when it parses the command line.
#pragma once

#include "operator/admission/webhook.h"

namespace CLI {
class App;
}

namespace ballast::app {

// `options` must live until the command line is parsed. An address without all that the
// certificates need is a validation error.
void AddWebhookOptions(CLI::App& command, admission::WebhookOptions& options);

}  // namespace ballast::app
