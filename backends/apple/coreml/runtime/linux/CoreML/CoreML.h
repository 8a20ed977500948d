/// @file
/// What the delegate uses of Apple's Core ML, as its documentation declares it, for machines
/// without. `mock.mm` answers.
#pragma once

#import <Foundation/Foundation.h>

typedef NS_ENUM(NSInteger, MLComputeUnits) {
  MLComputeUnitsCPUOnly = 0,
  MLComputeUnitsCPUAndGPU = 1,
  MLComputeUnitsAll = 2,
  MLComputeUnitsCPUAndNeuralEngine = 3,
};

typedef NS_ENUM(NSInteger, MLFeatureType) {
  MLFeatureTypeInvalid = 0,
  MLFeatureTypeInt64 = 1,
  MLFeatureTypeMultiArray = 5,
  MLFeatureTypeState = 8,
};

typedef NS_ENUM(NSInteger, MLMultiArrayDataType) {
  MLMultiArrayDataTypeDouble = 0x10000 | 64,
  MLMultiArrayDataTypeFloat32 = 0x10000 | 32,
  MLMultiArrayDataTypeFloat16 = 0x10000 | 16,
  MLMultiArrayDataTypeInt32 = 0x20000 | 32,
};

typedef NS_ENUM(NSInteger, MLMultiArrayShapeConstraintType) {
  MLMultiArrayShapeConstraintTypeUnspecified = 1,
  MLMultiArrayShapeConstraintTypeEnumerated = 2,
  MLMultiArrayShapeConstraintTypeRange = 3,
};

@interface MLMultiArray : NSObject {
  void* _dataPointer;
  NSArray* _shape;
  NSArray* _strides;
  MLMultiArrayDataType _dataType;
  void (^_deallocator)(void*);
}
- (instancetype)initWithDataPointer:(void*)dataPointer
                              shape:(NSArray<NSNumber*>*)shape
                           dataType:(MLMultiArrayDataType)dataType
                            strides:(NSArray<NSNumber*>*)strides
                        deallocator:(void (^)(void* bytes))deallocator
                              error:(NSError**)error;
@property(readonly, nonatomic) void* dataPointer;
@property(readonly, nonatomic) NSArray<NSNumber*>* shape;
@property(readonly, nonatomic) NSArray<NSNumber*>* strides;
@property(readonly, nonatomic) MLMultiArrayDataType dataType;
@property(readonly, nonatomic) NSInteger count;
@end

@interface MLMultiArrayShapeConstraint : NSObject {
 @public
  MLMultiArrayShapeConstraintType _type;
  NSArray* _sizeRangeForDimension;
  NSArray* _enumeratedShapes;
}
@property(readonly, nonatomic) MLMultiArrayShapeConstraintType type;
@property(readonly, nonatomic) NSArray<NSValue*>* sizeRangeForDimension;
@property(readonly, nonatomic) NSArray<NSArray<NSNumber*>*>* enumeratedShapes;
@end

@interface MLMultiArrayConstraint : NSObject {
 @public
  NSArray* _shape;
  MLMultiArrayDataType _dataType;
  MLMultiArrayShapeConstraint* _shapeConstraint;
}
@property(readonly, nonatomic) NSArray<NSNumber*>* shape;
@property(readonly, nonatomic) MLMultiArrayDataType dataType;
@property(readonly, nonatomic) MLMultiArrayShapeConstraint* shapeConstraint;
@end

@interface MLFeatureDescription : NSObject {
 @public
  MLFeatureType _type;
  MLMultiArrayConstraint* _multiArrayConstraint;
}
@property(readonly, nonatomic) MLFeatureType type;
@property(readonly, nonatomic) MLMultiArrayConstraint* multiArrayConstraint;
@end

@interface MLFeatureValue : NSObject {
  MLMultiArray* _multiArrayValue;
}
+ (instancetype)featureValueWithMultiArray:(MLMultiArray*)value;
@property(readonly, nonatomic) MLMultiArray* multiArrayValue;
@end

@protocol MLFeatureProvider <NSObject>
@property(readonly, nonatomic) NSSet<NSString*>* featureNames;
- (MLFeatureValue*)featureValueForName:(NSString*)featureName;
@end

@interface MLDictionaryFeatureProvider : NSObject <MLFeatureProvider> {
  NSDictionary* _dictionary;
}
- (instancetype)initWithDictionary:(NSDictionary<NSString*, id>*)dictionary error:(NSError**)error;
@end

@interface MLModelConfiguration : NSObject {
  MLComputeUnits _computeUnits;
  NSString* _functionName;
}
@property(nonatomic) MLComputeUnits computeUnits;
@property(nonatomic, copy) NSString* functionName;
@end

@interface MLPredictionOptions : NSObject {
  NSDictionary* _outputBackings;
}
@property(copy, nonatomic) NSDictionary<NSString*, id>* outputBackings;
@end

@interface MLModelDescription : NSObject {
 @public
  NSDictionary* _inputs;
  NSDictionary* _outputs;
  NSDictionary* _states;
}
@property(readonly, nonatomic)
    NSDictionary<NSString*, MLFeatureDescription*>* inputDescriptionsByName;
@property(readonly, nonatomic)
    NSDictionary<NSString*, MLFeatureDescription*>* outputDescriptionsByName;
@property(readonly, nonatomic)
    NSDictionary<NSString*, MLFeatureDescription*>* stateDescriptionsByName;
@end

@interface MLState : NSObject {
 @public
  NSInteger _calls;
}
@end

@interface MLModel : NSObject {
 @public
  MLModelDescription* _modelDescription;
  MLComputeUnits _units;
}
+ (NSURL*)compileModelAtURL:(NSURL*)modelURL error:(NSError**)error;
+ (instancetype)modelWithContentsOfURL:(NSURL*)url
                         configuration:(MLModelConfiguration*)configuration
                                 error:(NSError**)error;
@property(readonly, nonatomic) MLModelDescription* modelDescription;
- (id<MLFeatureProvider>)predictionFromFeatures:(id<MLFeatureProvider>)input
                                        options:(MLPredictionOptions*)options
                                          error:(NSError**)error;
- (MLState*)newState;
- (id<MLFeatureProvider>)predictionFromFeatures:(id<MLFeatureProvider>)inputFeatures
                                     usingState:(MLState*)state
                                        options:(MLPredictionOptions*)options
                                          error:(NSError**)error;
@end
