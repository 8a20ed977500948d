#include <algorithm>
#include <cstring>

#include <executorch/backends/apple/mps/runtime/model.h>
#include <executorch/backends/apple/mps/runtime/values.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace mps {

using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using runtime::BackendExecutionContext;
using runtime::Error;
using runtime::EValue;
using runtime::Result;
using runtime::Span;

namespace {

const char* words_of(NSString* text) {
  const char* const words = [text UTF8String];
  return words == nullptr ? "no reason given" : words;
}

ScalarType scalar_type_of(MPSDataType type) {
  switch (type) {
    case MPSDataTypeFloat16:
      return ScalarType::Half;
    case MPSDataTypeFloat32:
      return ScalarType::Float;
    case MPSDataTypeInt8:
      return ScalarType::Char;
    case MPSDataTypeInt16:
      return ScalarType::Short;
    case MPSDataTypeInt32:
      return ScalarType::Int;
    case MPSDataTypeInt64:
      return ScalarType::Long;
    case MPSDataTypeUInt8:
      return ScalarType::Byte;
    default:
      return ScalarType::Bool;
  }
}

Port port_of(const mpsgraph::MPSTensor& value, MPSGraphTensor* tensor) {
  Port port;
  const Sizes sizes = sizes_of(value);
  port.sizes.assign(sizes.begin(), sizes.end());
  port.element = type_of(value.datatype());
  port.type = scalar_type_of(port.element);
  port.bytes = static_cast<size_t>(count_of(sizes)) * element_size(value.datatype());
  port.tensor = [tensor retain];
  return port;
}

void add_constants(Values& values, const Blob& blob) {
  const auto* const ids = blob.graph->constant_ids();
  for (uint32_t i = 0; ids != nullptr && i < ids->size(); ++i) {
    const mpsgraph::MPSTensor& value = values.declared(ids->Get(i));
    // A copy: nothing says how long the graph reads it.
    NSData* data = [NSData dataWithBytes:blob.constants + value.segment_offset()
                                  length:static_cast<NSUInteger>(value.constant_buffer_size())];
    require(data != nil, @"no memory for a constant");
    values.set(ids->Get(i), values.constant(data, sizes_of(value), type_of(value.datatype())));
  }
}

void add_node(Values& values, const mpsgraph::MPSNode& node) {
  const bool is_known = add_unary(values, node) || add_binary(values, node) ||
                        add_activation(values, node) || add_layer(values, node) ||
                        add_convolution(values, node) || add_mover(values, node) ||
                        add_lookup(values, node);
  require(is_known, @"a node that this delegate does not have");
}

/// Raises what a node raises, with the node's place and kind.
void add_nodes(Values& values, const Blob& blob) {
  const auto* const nodes = blob.graph->mps_nodes();
  for (uint32_t i = 0; nodes != nullptr && i < nodes->size(); ++i) {
    NSString* why = nil;
    const auto kind = nodes->Get(i)->mpsnode_union_type();
    @try {
      require(nodes->Get(i)->mpsnode_union() != nullptr, @"no operator");
      add_node(values, *nodes->Get(i));
    } @catch (NSException* exception) {
      why = [NSString stringWithFormat:@"node %u, %s: %@", i, mpsgraph::EnumNameMPSNodeUnion(kind),
                                       [exception reason]];
    }
    if (why != nil) {
      refuse(why);
    }
  }
}

}  // namespace

Result<std::unique_ptr<Model>> Model::load(const Blob& blob) {
  @autoreleasepool {
    std::unique_ptr<Model> made(new Model());
    made->device_ = MTLCreateSystemDefaultDevice();
    ET_CHECK_OR_RETURN_ERROR(made->device_ != nil, NotSupported,
                             "MPS: this machine has no device with Metal. Way out: lower for "
                             "another backend, or load the program elsewhere");
    made->queue_ = [made->device_ newCommandQueue];
    ET_CHECK_OR_RETURN_ERROR(made->queue_ != nil, Internal, "MPS: the device takes no commands");
    ET_CHECK_OK_OR_RETURN_ERROR(made->build(blob));
    ET_CHECK_OK_OR_RETURN_ERROR(made->make_memory());
    return made;
  }
}

Model::~Model() {
  for (std::vector<Port>* ports : {&inputs_, &outputs_}) {
    for (Port& port : *ports) {
      [port.data release];
      [port.buffer release];
      [port.tensor release];
    }
  }
  [executable_ release];
  [graph_ release];
  [queue_ release];
  [device_ release];
}

Error Model::build(const Blob& blob) {
  graph_ = [[MPSGraph alloc] init];
  @try {
    compile(blob, graph_);
  } @catch (NSException* exception) {
    ET_LOG(Error, "MPS: cannot make the delegate's graph: %s", words_of([exception reason]));
    return Error::DelegateInvalidCompatibility;
  }
  return Error::Ok;
}

void Model::compile(const Blob& blob, MPSGraph* graph) {
  Values values(graph, blob);
  NSMutableDictionary* feeds = [NSMutableDictionary dictionary];
  const auto* const inputs = blob.graph->input_ids();
  for (uint32_t i = 0; inputs != nullptr && i < inputs->size(); ++i) {
    const mpsgraph::MPSTensor& value = values.declared(inputs->Get(i));
    const Sizes sizes = sizes_of(value);
    const MPSDataType type = type_of(value.datatype());
    MPSGraphTensor* tensor = [graph placeholderWithShape:shape_of(sizes) dataType:type name:nil];
    values.set(inputs->Get(i), {tensor, sizes, type});
    inputs_.push_back(port_of(value, tensor));
    MPSGraphShapedType* shaped = [[[MPSGraphShapedType alloc] initWithShape:shape_of(sizes)
                                                                   dataType:type] autorelease];
    [feeds setObject:shaped forKey:tensor];
  }
  add_constants(values, blob);
  add_nodes(values, blob);
  NSMutableArray* targets = [NSMutableArray array];
  const auto* const outputs = blob.graph->output_ids();
  for (uint32_t i = 0; outputs != nullptr && i < outputs->size(); ++i) {
    const Value& value = values.at(outputs->Get(i));
    const mpsgraph::MPSTensor& declared = values.declared(outputs->Get(i));
    require(value.type == type_of(declared.datatype()),
            @"an output of another type than the file says");
    // A target of its own each: what is an input or twice an output too.
    MPSGraphTensor* tensor = [graph identityWithTensor:value.tensor name:nil];
    outputs_.push_back(port_of(declared, tensor));
    [targets addObject:tensor];
  }
  require([targets count] > 0, @"no outputs");
  executable_ = [[graph compileWithDevice:[MPSGraphDevice deviceWithMTLDevice:device_]
                                    feeds:feeds
                            targetTensors:targets
                         targetOperations:nil
                    compilationDescriptor:nil] retain];
  require(executable_ != nil, @"MPSGraph does not compile it");
}

Error Model::make_memory() {
  for (std::vector<Port>* ports : {&inputs_, &outputs_}) {
    for (Port& port : *ports) {
      port.buffer = [device_ newBufferWithLength:static_cast<NSUInteger>(port.bytes)
                                         options:MTLResourceStorageModeShared];
      ET_CHECK_OR_RETURN_ERROR(port.buffer != nil && [port.buffer contents] != nullptr,
                               MemoryAllocationFailed, "MPS: the device has no %zu bytes",
                               port.bytes);
      const Sizes sizes(port.sizes.begin(), port.sizes.end());
      port.data = [[MPSGraphTensorData alloc] initWithMTLBuffer:port.buffer
                                                          shape:shape_of(sizes)
                                                       dataType:port.element];
      ET_CHECK_OR_RETURN_ERROR(port.data != nil, MemoryAllocationFailed,
                               "MPS: the device has no %zu bytes", port.bytes);
    }
  }
  return Error::Ok;
}

namespace {

/// What lies at the places of these tensors, in the order in which the executable wants it.
NSArray* data_of(const std::vector<Port>& ports, NSArray<MPSGraphTensor*>* wanted) {
  NSMutableArray* found = [NSMutableArray array];
  for (MPSGraphTensor* tensor in wanted) {
    for (const Port& port : ports) {
      if (port.tensor == tensor) {
        [found addObject:port.data];
      }
    }
  }
  return [found count] == [wanted count] ? found : nil;
}

Error check_argument(const EValue* arg, const Port& port, size_t index) {
  ET_CHECK_OR_RETURN_ERROR(arg != nullptr && arg->isTensor(), InvalidArgument,
                           "MPS: argument %zu is no tensor", index);
  const Tensor tensor = arg->toTensor();
  const bool is_right = tensor.scalar_type() == port.type &&
                        size_t(tensor.dim()) == port.sizes.size() &&
                        std::equal(port.sizes.begin(), port.sizes.end(), tensor.sizes().begin());
  ET_CHECK_OR_RETURN_ERROR(is_right, InvalidArgument,
                           "MPS: argument %zu has other sizes or another type than the delegate "
                           "was made for",
                           index);
  ET_CHECK_OR_RETURN_ERROR(runtime::tensor_is_default_dim_order(tensor), InvalidArgument,
                           "MPS: argument %zu is not in the usual order of dimensions. Way out: "
                           "tensor.contiguous() before the call, or in the model",
                           index);
  ET_CHECK_OR_RETURN_ERROR(tensor.const_data_ptr() != nullptr, InvalidArgument,
                           "MPS: argument %zu has no memory", index);
  return Error::Ok;
}

}  // namespace

Error Model::encode() {
  NSArray* inputs = data_of(inputs_, [executable_ feedTensors]);
  NSArray* results = data_of(outputs_, [executable_ targetTensors]);
  ET_CHECK_OR_RETURN_ERROR(inputs != nil && results != nil, Internal,
                           "MPS: the compiled graph has other inputs or outputs than the file");
  @try {
    MPSCommandBuffer* commands = [MPSCommandBuffer commandBufferFromCommandQueue:queue_];
    (void)[executable_ encodeToCommandBuffer:commands
                                 inputsArray:inputs
                                resultsArray:results
                         executionDescriptor:nil];
    [commands commit];
    [commands waitUntilCompleted];
    ET_CHECK_OR_RETURN_ERROR([commands status] != MTLCommandBufferStatusError, Internal,
                             "MPS: the device failed: %s",
                             words_of([[commands error] localizedDescription]));
  } @catch (NSException* exception) {
    ET_LOG(Error, "MPS: the delegate failed: %s", words_of([exception reason]));
    return Error::Internal;
  }
  return Error::Ok;
}

Error Model::run(Span<EValue*> args, BackendExecutionContext& context) {
  ET_CHECK_OR_RETURN_ERROR(args.size() == inputs_.size() + outputs_.size(), InvalidArgument,
                           "MPS: the delegate has %zu inputs and %zu outputs, got %zu",
                           inputs_.size(), outputs_.size(), args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    const bool is_input = i < inputs_.size();
    ET_CHECK_OK_OR_RETURN_ERROR(
        check_argument(args[i], is_input ? inputs_[i] : outputs_[i - inputs_.size()], i));
    ET_CHECK_OR_RETURN_ERROR(is_input || context.may_write(args[i]->toTensor()), InvalidProgram,
                             "MPS: output %zu is a constant, or shows memory that is smaller",
                             i - inputs_.size());
  }
  for (size_t i = 0; i < inputs_.size(); ++i) {
    std::memcpy([inputs_[i].buffer contents], args[i]->toTensor().const_data_ptr(),
                inputs_[i].bytes);
  }
  ET_CHECK_OK_OR_RETURN_ERROR(encode());
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const Tensor tensor = args[inputs_.size() + i]->toTensor();
    std::memcpy(tensor.mutable_data_ptr(), [outputs_[i].buffer contents], outputs_[i].bytes);
  }
  return Error::Ok;
}

Error Model::execute(Span<EValue*> args, BackendExecutionContext& context) {
  return guard_.run("MPS", [&] {
    @autoreleasepool {
      return run(args, context);
    }
  });
}

}  // namespace mps
}  // namespace backends
}  // namespace executorch
