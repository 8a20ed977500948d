#pragma once

#include <jni.h>

// The native methods of org.pytorch.executorch.NativeModule, which NativeModule.java documents.
extern "C" {
JNIEXPORT jlong JNICALL Java_org_pytorch_executorch_NativeModule_load(JNIEnv* env, jclass type,
                                                                      jstring path,
                                                                      jobjectArray data_paths,
                                                                      jint load_mode);
JNIEXPORT void JNICALL Java_org_pytorch_executorch_NativeModule_destroy(JNIEnv* env, jclass type,
                                                                        jlong module);
JNIEXPORT jobjectArray JNICALL Java_org_pytorch_executorch_NativeModule_methodNames(JNIEnv* env,
                                                                                    jclass type,
                                                                                    jlong module);
JNIEXPORT void JNICALL Java_org_pytorch_executorch_NativeModule_loadMethod(JNIEnv* env, jclass type,
                                                                           jlong module,
                                                                           jstring method);
JNIEXPORT jobjectArray JNICALL Java_org_pytorch_executorch_NativeModule_execute(
    JNIEnv* env, jclass type, jlong module, jstring method, jobjectArray values);
JNIEXPORT jobjectArray JNICALL Java_org_pytorch_executorch_NativeModule_methodBackends(
    JNIEnv* env, jclass type, jlong module, jstring method);
JNIEXPORT void JNICALL Java_org_pytorch_executorch_NativeModule_setThreads(JNIEnv* env, jclass type,
                                                                           jint threads);
JNIEXPORT jobjectArray JNICALL Java_org_pytorch_executorch_NativeModule_logLines(JNIEnv* env,
                                                                                 jclass type);
JNIEXPORT jobjectArray JNICALL Java_org_pytorch_executorch_NativeModule_backendNames(JNIEnv* env,
                                                                                     jclass type);
JNIEXPORT jobjectArray JNICALL Java_org_pytorch_executorch_NativeModule_operatorNames(JNIEnv* env,
                                                                                      jclass type);
}
