// ${generated_comment}
#include <torch/library.h>

${ops_headers}

namespace at {
${dispatch_anonymous_definitions}
${static_init_dispatch_registrations}
}  // namespace at
