// ${generated_comment}
#include <torch/library.h>

namespace at {

${aten_schema_registrations}

${schema_registrations}

}  // namespace at
