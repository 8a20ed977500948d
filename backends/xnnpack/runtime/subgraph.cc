#include <algorithm>
#include <cinttypes>

#include <executorch/backends/xnnpack/runtime/subgraph.h>
#include <executorch/backends/xnnpack/runtime/xnnpack_extras.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace xnnpack {

using runtime::Error;
using runtime::FreeableBuffer;
using runtime::NamedDataMap;
using runtime::Result;

namespace {

constexpr uint32_t kMostExternals = 4096;

const Value kNoValue;

}  // namespace

Error error_of(xnn_status status) {
  switch (status) {
    case xnn_status_success:
      return Error::Ok;
    case xnn_status_out_of_memory:
      return Error::MemoryAllocationFailed;
    case xnn_status_unsupported_parameter:
    case xnn_status_unsupported_hardware:
      return Error::NotSupported;
    case xnn_status_invalid_parameter:
    case xnn_status_reallocation_required:
      return Error::InvalidArgument;
    default:
      return Error::Internal;
  }
}

const Value& Subgraph::value(uint32_t id) const {
  return id < values_.size() ? values_[id] : kNoValue;
}

void Subgraph::set_read(uint32_t id) {
  if (id < values_.size()) {
    values_[id].is_read = true;
  }
}

bool Subgraph::set_written(uint32_t id) {
  if (id >= values_.size() || values_[id].is_written) {
    return false;
  }
  values_[id].is_written = true;
  return true;
}

Result<Subgraph> Subgraph::define(const Blob& blob, const NamedDataMap* named) {
  const fb_xnnpack::XNNGraph& graph = blob.graph();
  ET_CHECK_OR_RETURN_ERROR(graph.num_externs() <= kMostExternals, DelegateInvalidCompatibility,
                           "XNNPACK: %" PRIu32 " inputs and outputs, at most %" PRIu32
                           " are possible",
                           graph.num_externs(), kMostExternals);
  xnn_subgraph_t made = nullptr;
  const xnn_status status = xnn_create_subgraph(graph.num_externs(), /*flags=*/0, &made);
  ET_CHECK_OR_RETURN_ERROR(status == xnn_status_success, Internal,
                           "XNNPACK: xnn_create_subgraph failed with status %d", int(status));
  Subgraph subgraph;
  subgraph.subgraph_.reset(made);
  ET_CHECK_OK_OR_RETURN_ERROR(subgraph.define_values(blob, named));
  for (const fb_xnnpack::XNode* node : *graph.xnodes()) {
    ET_CHECK_OK_OR_RETURN_ERROR(define_node(subgraph, *node));
    subgraph.debug_handles_.resize(xnn_get_subgraph_num_nodes(made), node->debug_handle());
  }
  ET_CHECK_OK_OR_RETURN_ERROR(subgraph.find_externals(graph));
  ET_CHECK_OK_OR_RETURN_ERROR(subgraph.check_results());
  return subgraph;
}

std::vector<FreeableBuffer> Subgraph::take_data() {
  std::vector<const void*> read;
  for (const Value& value : values_) {
    if (value.is_read) {
      read.push_back(value.constant.data);
    }
    // XNNPACK packs these as well, but they are small, and it does not say so.
    read.push_back(value.scales.data);
  }
  std::vector<FreeableBuffer> kept;
  for (FreeableBuffer& buffer : held_) {
    if (std::find(read.begin(), read.end(), buffer.data()) != read.end()) {
      kept.push_back(std::move(buffer));
    }
  }
  held_.clear();
  return kept;
}

size_t Subgraph::constant_bytes() const {
  size_t bytes = 0;
  for (const Value& value : values_) {
    bytes += value.constant.size;
  }
  return bytes;
}

Error Subgraph::find_externals(const fb_xnnpack::XNNGraph& graph) {
  const auto add = [this](const flatbuffers::Vector<uint32_t>* ids, bool are_inputs) {
    for (size_t i = 0; ids != nullptr && i < ids->size(); ++i) {
      const Value& found = value(ids->Get(i));
      externals_.push_back(
          {found.id, found.datatype, found.is_bfloat16, found.dims, !are_inputs || found.is_read});
    }
  };
  add(graph.input_ids(), /*are_inputs=*/true);
  num_inputs_ = externals_.size();
  add(graph.output_ids(), /*are_inputs=*/false);
  bool valid = externals_.size() == graph.num_externs();
  std::vector<bool> is_there(graph.num_externs(), false);
  for (const External& external : externals_) {
    valid = valid && external.id < graph.num_externs() && !is_there[external.id];
    if (valid) {
      is_there[external.id] = true;
    }
  }
  ET_CHECK_OR_RETURN_ERROR(valid, DelegateInvalidCompatibility,
                           "XNNPACK: the graph's %zu inputs and outputs are not its %" PRIu32
                           " external values",
                           externals_.size(), graph.num_externs());
  return Error::Ok;
}

// XNNPACK drops a node that nothing needs and goes on fusing others with it, which ends the
// process.
Error Subgraph::check_results() const {
  const auto is_needed = [this](uint32_t id) {
    const uint32_t name = value(id).id;
    return value(id).is_read ||
           std::any_of(externals_.begin() + num_inputs_, externals_.end(),
                       [name](const External& external) { return external.id == name; });
  };
  for (const std::vector<uint32_t>& ids : results_) {
    ET_CHECK_OR_RETURN_ERROR(std::any_of(ids.begin(), ids.end(), is_needed),
                             DelegateInvalidCompatibility,
                             "XNNPACK: nothing reads value %" PRIu32 ", which a node writes",
                             ids.empty() ? XNN_INVALID_VALUE_ID : ids.front());
  }
  return Error::Ok;
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
