/// @file
/// A Core ML that evaluates nothing. A model is a file `model.mock.json` in the package, which
/// names ports, shapes and types, by function or not; a prediction holds what it is given against
/// these, and fills output k with 100 k, the sum of each input times its place (from 1 on, in the
/// order of the names), and 1000 for each call that its state has seen.

#include <cstdlib>

#import <CoreML/CoreML.h>

#include <executorch/backends/apple/coreml/runtime/linux/mock.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>

namespace executorch {
namespace backends {
namespace coreml {

Mock& mock() {
  static Mock one;
  return one;
}

}  // namespace coreml
}  // namespace backends
}  // namespace executorch

using executorch::backends::coreml::mock;

namespace {

NSString* const kFile = @"model.mock.json";

bool fail(NSError** error, NSString* words) {
  if (error != nullptr) {
    NSDictionary* info = [NSDictionary dictionaryWithObject:words forKey:NSLocalizedDescriptionKey];
    *error = [NSError errorWithDomain:@"com.apple.CoreML" code:0 userInfo:info];
  }
  return false;
}

NSDictionary* read_model(NSString* directory) {
  NSData* data = [NSData dataWithContentsOfFile:[directory stringByAppendingPathComponent:kFile]];
  return data == nil ? nil : [NSJSONSerialization JSONObjectWithData:data options:0 error:nullptr];
}

MLMultiArrayDataType type_called(NSString* name) {
  NSDictionary* types = [NSDictionary
      dictionaryWithObjectsAndKeys:[NSNumber numberWithInt:MLMultiArrayDataTypeDouble], @"float64",
                                   [NSNumber numberWithInt:MLMultiArrayDataTypeFloat32], @"float32",
                                   [NSNumber numberWithInt:MLMultiArrayDataTypeFloat16], @"float16",
                                   [NSNumber numberWithInt:MLMultiArrayDataTypeInt32], @"int32",
                                   nil];
  return static_cast<MLMultiArrayDataType>([[types objectForKey:name] intValue]);
}

MLFeatureDescription* description_of(NSDictionary* port) {
  MLMultiArrayShapeConstraint* shapes = [[[MLMultiArrayShapeConstraint alloc] init] autorelease];
  shapes->_type = MLMultiArrayShapeConstraintTypeUnspecified;
  if ([port objectForKey:@"enumerated"] != nil) {
    shapes->_type = MLMultiArrayShapeConstraintTypeEnumerated;
    shapes->_enumeratedShapes = [[port objectForKey:@"enumerated"] retain];
  } else if ([port objectForKey:@"ranges"] != nil) {
    NSMutableArray* ranges = [NSMutableArray array];
    for (NSArray* one in [port objectForKey:@"ranges"]) {
      const NSUInteger low = [[one objectAtIndex:0] unsignedIntegerValue];
      const NSUInteger high = [[one objectAtIndex:1] unsignedIntegerValue];
      [ranges addObject:[NSValue valueWithRange:NSMakeRange(low, high - low + 1)]];
    }
    shapes->_type = MLMultiArrayShapeConstraintTypeRange;
    shapes->_sizeRangeForDimension = [ranges retain];
  }
  MLMultiArrayConstraint* constraint = [[[MLMultiArrayConstraint alloc] init] autorelease];
  constraint->_shape = [[port objectForKey:@"shape"] retain];
  constraint->_dataType = type_called([port objectForKey:@"type"]);
  constraint->_shapeConstraint = [shapes retain];
  MLFeatureDescription* made = [[[MLFeatureDescription alloc] init] autorelease];
  made->_type = MLFeatureTypeMultiArray;
  made->_multiArrayConstraint = [constraint retain];
  return made;
}

NSDictionary* descriptions_of(NSArray* ports) {
  NSMutableDictionary* made = [NSMutableDictionary dictionary];
  for (NSDictionary* port in ports) {
    [made setObject:description_of(port) forKey:[port objectForKey:@"name"]];
  }
  return [made retain];
}

double element(MLMultiArray* array, NSInteger index) {
  switch ([array dataType]) {
    case MLMultiArrayDataTypeDouble:
      return static_cast<double*>([array dataPointer])[index];
    case MLMultiArrayDataTypeFloat32:
      return static_cast<float*>([array dataPointer])[index];
    case MLMultiArrayDataTypeFloat16:
      return static_cast<executorch::aten::Half*>([array dataPointer])[index];
    default:
      return static_cast<int32_t*>([array dataPointer])[index];
  }
}

void set_element(MLMultiArray* array, NSInteger index, double value) {
  switch ([array dataType]) {
    case MLMultiArrayDataTypeDouble:
      static_cast<double*>([array dataPointer])[index] = value;
      break;
    case MLMultiArrayDataTypeFloat32:
      static_cast<float*>([array dataPointer])[index] = static_cast<float>(value);
      break;
    case MLMultiArrayDataTypeFloat16:
      static_cast<executorch::aten::Half*>([array dataPointer])[index] = static_cast<float>(value);
      break;
    default:
      static_cast<int32_t*>([array dataPointer])[index] = static_cast<int32_t>(value);
  }
}

bool admits(MLMultiArrayConstraint* constraint, MLMultiArray* array) {
  MLMultiArrayShapeConstraint* shapes = [constraint shapeConstraint];
  if ([array dataType] != [constraint dataType]) {
    return false;
  }
  if ([shapes type] == MLMultiArrayShapeConstraintTypeEnumerated) {
    return [[shapes enumeratedShapes] containsObject:[array shape]];
  }
  if ([shapes type] == MLMultiArrayShapeConstraintTypeUnspecified) {
    return [[constraint shape] isEqual:[array shape]];
  }
  bool fits = [[array shape] count] == [[shapes sizeRangeForDimension] count];
  for (NSUInteger i = 0; fits && i < [[array shape] count]; ++i) {
    const NSRange range = [[[shapes sizeRangeForDimension] objectAtIndex:i] rangeValue];
    fits = NSLocationInRange([[[array shape] objectAtIndex:i] unsignedIntegerValue], range);
  }
  return fits;
}

/// An array of this shape; its last dimension has a gap of one element if it is to have gaps.
MLMultiArray* own_array(NSArray* shape, MLMultiArrayDataType type, bool has_gaps) {
  NSMutableArray* strides = [NSMutableArray array];
  NSInteger stride = 1;
  for (NSUInteger i = [shape count]; i-- > 0;) {
    [strides insertObject:[NSNumber numberWithInteger:stride] atIndex:0];
    stride *= [[shape objectAtIndex:i] integerValue];
    stride += has_gaps && i + 1 == [shape count] ? 1 : 0;
  }
  void* const memory = std::calloc(static_cast<size_t>(stride) + 1, sizeof(double));
  return [[[MLMultiArray alloc] initWithDataPointer:memory
                                              shape:shape
                                           dataType:type
                                            strides:strides
                                        deallocator:^(void* bytes) {
                                          std::free(bytes);
                                        }
                                              error:nullptr] autorelease];
}

}  // namespace

@implementation MLMultiArray
- (instancetype)initWithDataPointer:(void*)dataPointer
                              shape:(NSArray<NSNumber*>*)shape
                           dataType:(MLMultiArrayDataType)dataType
                            strides:(NSArray<NSNumber*>*)strides
                        deallocator:(void (^)(void* bytes))deallocator
                              error:(NSError**)error {
  if (dataPointer == nullptr || [shape count] == 0 || [shape count] != [strides count]) {
    fail(error, @"an array needs memory, a shape and as many strides");
    [self release];
    return nil;
  }
  _dataPointer = dataPointer;
  _shape = [shape copy];
  _strides = [strides copy];
  _dataType = dataType;
  if (deallocator) {
    _deallocator = Block_copy(deallocator);
  }
  return self;
}
- (void)dealloc {
  if (_deallocator) {
    _deallocator(_dataPointer);
    Block_release(_deallocator);
  }
  [_shape release];
  [_strides release];
  [super dealloc];
}
@synthesize dataPointer = _dataPointer;
@synthesize shape = _shape;
@synthesize strides = _strides;
@synthesize dataType = _dataType;
- (NSInteger)count {
  NSInteger made = 1;
  for (NSNumber* size in _shape) {
    made *= [size integerValue];
  }
  return made;
}
@end

@implementation MLMultiArrayShapeConstraint
@synthesize type = _type;
@synthesize sizeRangeForDimension = _sizeRangeForDimension;
@synthesize enumeratedShapes = _enumeratedShapes;
- (void)dealloc {
  [_sizeRangeForDimension release];
  [_enumeratedShapes release];
  [super dealloc];
}
@end

@implementation MLMultiArrayConstraint
@synthesize shape = _shape;
@synthesize dataType = _dataType;
@synthesize shapeConstraint = _shapeConstraint;
- (void)dealloc {
  [_shape release];
  [_shapeConstraint release];
  [super dealloc];
}
@end

@implementation MLFeatureDescription
@synthesize type = _type;
@synthesize multiArrayConstraint = _multiArrayConstraint;
- (void)dealloc {
  [_multiArrayConstraint release];
  [super dealloc];
}
@end

@implementation MLFeatureValue
+ (instancetype)featureValueWithMultiArray:(MLMultiArray*)value {
  MLFeatureValue* made = [[[self alloc] init] autorelease];
  made->_multiArrayValue = [value retain];
  return made;
}
- (void)dealloc {
  [_multiArrayValue release];
  [super dealloc];
}
@synthesize multiArrayValue = _multiArrayValue;
@end

@implementation MLDictionaryFeatureProvider
- (instancetype)initWithDictionary:(NSDictionary<NSString*, id>*)dictionary error:(NSError**)error {
  (void)error;
  _dictionary = [dictionary copy];
  return self;
}
- (void)dealloc {
  [_dictionary release];
  [super dealloc];
}
- (NSSet<NSString*>*)featureNames {
  return [NSSet setWithArray:[_dictionary allKeys]];
}
- (MLFeatureValue*)featureValueForName:(NSString*)featureName {
  return [_dictionary objectForKey:featureName];
}
@end

@implementation MLModelConfiguration
@synthesize computeUnits = _computeUnits;
@synthesize functionName = _functionName;
- (void)dealloc {
  [_functionName release];
  [super dealloc];
}
@end

@implementation MLPredictionOptions
@synthesize outputBackings = _outputBackings;
- (void)dealloc {
  [_outputBackings release];
  [super dealloc];
}
@end

@implementation MLModelDescription
@synthesize inputDescriptionsByName = _inputs;
@synthesize outputDescriptionsByName = _outputs;
@synthesize stateDescriptionsByName = _states;
- (void)dealloc {
  [_inputs release];
  [_outputs release];
  [_states release];
  [super dealloc];
}
@end

@implementation MLState
@end

@implementation MLModel
@synthesize modelDescription = _modelDescription;
- (void)dealloc {
  [_modelDescription release];
  [super dealloc];
}

+ (NSURL*)compileModelAtURL:(NSURL*)modelURL error:(NSError**)error {
  ++mock().compiles;
  if (read_model([modelURL path]) == nil) {
    fail(error, @"the package has no model.mock.json that is JSON");
    return nil;
  }
  NSString* made = [NSTemporaryDirectory()
      stringByAppendingPathComponent:[[[NSProcessInfo processInfo] globallyUniqueString]
                                         stringByAppendingString:@".mlmodelc"]];
  if (![[NSFileManager defaultManager] copyItemAtPath:[modelURL path] toPath:made error:error]) {
    return nil;
  }
  return [NSURL fileURLWithPath:made];
}

+ (instancetype)modelWithContentsOfURL:(NSURL*)url
                         configuration:(MLModelConfiguration*)configuration
                                 error:(NSError**)error {
  ++mock().loads;
  NSDictionary* read = read_model([url path]);
  if (read == nil || mock().failing_loads > 0) {
    mock().failing_loads -= mock().failing_loads > 0 ? 1 : 0;
    fail(error, @"there is no compiled model");
    return nil;
  }
  if ([configuration functionName] != nil) {
    read = [[read objectForKey:@"functions"] objectForKey:[configuration functionName]];
    if (read == nil) {
      fail(error, @"the model has no such function");
      return nil;
    }
  }
  MLModelDescription* description = [[[MLModelDescription alloc] init] autorelease];
  description->_inputs = descriptions_of([read objectForKey:@"inputs"]);
  description->_outputs = descriptions_of([read objectForKey:@"outputs"]);
  description->_states = descriptions_of([read objectForKey:@"states"]);
  MLModel* made = [[[self alloc] init] autorelease];
  made->_modelDescription = [description retain];
  made->_units = [configuration computeUnits];
  mock().last_units = made->_units;
  return made;
}

- (MLState*)newState {
  return [[MLState alloc] init];
}

- (id<MLFeatureProvider>)answer:(id<MLFeatureProvider>)inputs
                        options:(MLPredictionOptions*)options
                          state:(MLState*)state
                          error:(NSError**)error {
  if (mock().predictions_raise) {
    @throw [NSException exceptionWithName:NSInvalidArgumentException
                                   reason:@"the engine is gone"
                                 userInfo:nil];
  }
  if (mock().predictions_fail) {
    fail(error, @"no engine");
    return nil;
  }
  double sum = state == nil ? 0 : 1000.0 * static_cast<double>(state->_calls++);
  MLMultiArray* first = nil;
  int place = 0;
  NSDictionary* described = [_modelDescription inputDescriptionsByName];
  for (NSString* name in [[described allKeys] sortedArrayUsingSelector:@selector(compare:)]) {
    MLMultiArray* array = [[inputs featureValueForName:name] multiArrayValue];
    if (array == nil || !admits([[described objectForKey:name] multiArrayConstraint], array)) {
      fail(error, [NSString stringWithFormat:@"the input %@ is missing or of another kind", name]);
      return nil;
    }
    first = first == nil ? array : first;
    ++place;
    for (NSInteger i = 0; i < [array count]; ++i) {
      sum += place * element(array, i);
    }
  }
  return [self outputsOf:sum like:first backings:[options outputBackings]];
}

- (id<MLFeatureProvider>)outputsOf:(double)sum
                              like:(MLMultiArray*)first
                          backings:(NSDictionary*)backings {
  NSMutableDictionary* values = [NSMutableDictionary dictionary];
  NSDictionary* described = [_modelDescription outputDescriptionsByName];
  double offset = 0;
  for (NSString* name in [[described allKeys] sortedArrayUsingSelector:@selector(compare:)]) {
    MLMultiArrayConstraint* constraint = [[described objectForKey:name] multiArrayConstraint];
    // An output without a shape of its own has that of the first input.
    NSArray* shape = [[constraint shape] count] > 0 ? [constraint shape] : [first shape];
    const bool ignores = mock().ignores_backings;
    MLMultiArray* array = ignores ? nil : [backings objectForKey:name];
    array = array == nil ? own_array(shape, [constraint dataType], ignores) : array;
    const NSInteger row = [[shape lastObject] integerValue];
    for (NSInteger i = 0; i < [array count]; ++i) {
      set_element(array, ignores ? i / row * (row + 1) + i % row : i, sum + offset);
    }
    offset += 100;
    [values setObject:[MLFeatureValue featureValueWithMultiArray:array] forKey:name];
  }
  return [[[MLDictionaryFeatureProvider alloc] initWithDictionary:values
                                                            error:nullptr] autorelease];
}

- (id<MLFeatureProvider>)predictionFromFeatures:(id<MLFeatureProvider>)input
                                        options:(MLPredictionOptions*)options
                                          error:(NSError**)error {
  if ([[_modelDescription stateDescriptionsByName] count] > 0) {
    fail(error, @"the model has state, and is given none");
    return nil;
  }
  return [self answer:input options:options state:nil error:error];
}

- (id<MLFeatureProvider>)predictionFromFeatures:(id<MLFeatureProvider>)inputFeatures
                                     usingState:(MLState*)state
                                        options:(MLPredictionOptions*)options
                                          error:(NSError**)error {
  return [self answer:inputFeatures options:options state:state error:error];
}
@end
