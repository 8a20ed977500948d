#pragma once

#include <jni.h>

// The native methods of org.pytorch.executorch.training.NativeTraining, which NativeTraining.java
// documents.
extern "C" {
JNIEXPORT jlong JNICALL Java_org_pytorch_executorch_training_NativeTraining_load(JNIEnv* env,
                                                                                 jclass type,
                                                                                 jstring path,
                                                                                 jstring data_path);
JNIEXPORT void JNICALL Java_org_pytorch_executorch_training_NativeTraining_destroy(JNIEnv* env,
                                                                                   jclass type,
                                                                                   jlong module);
JNIEXPORT jobjectArray JNICALL
Java_org_pytorch_executorch_training_NativeTraining_executeForwardBackward(JNIEnv* env, jclass type,
                                                                           jlong module,
                                                                           jstring method,
                                                                           jobjectArray values);
JNIEXPORT jobjectArray JNICALL Java_org_pytorch_executorch_training_NativeTraining_named(
    JNIEnv* env, jclass type, jlong module, jstring method, jboolean gradients);
JNIEXPORT jlong JNICALL Java_org_pytorch_executorch_training_NativeTraining_createSgd(
    JNIEnv* env, jclass type, jobjectArray names, jobjectArray values, jdoubleArray settings,
    jboolean nesterov);
JNIEXPORT void JNICALL Java_org_pytorch_executorch_training_NativeTraining_step(
    JNIEnv* env, jclass type, jlong optimizer, jobjectArray names, jobjectArray values);
JNIEXPORT void JNICALL Java_org_pytorch_executorch_training_NativeTraining_destroySgd(
    JNIEnv* env, jclass type, jlong optimizer);
}
