// The flags of `ballast operator` that concern the admission webhook.
//
// Thread-safety: used by main's thread only.
#pragma once

#include "operator/admission/webhook.h"

namespace CLI {
class App;
}

namespace ballast::app {

// `options` must live as long as the program is parsed. An address without all that the
// certificates need is an error of the command line.
void AddWebhookOptions(CLI::App& command, admission::WebhookOptions& options);

}  // namespace ballast::app
