#pragma once

#include <jni.h>

// The native methods of org.pytorch.executorch.extension.asr.NativeAsr, which NativeAsr.java
// documents.
extern "C" {
JNIEXPORT jlong JNICALL Java_org_pytorch_executorch_extension_asr_NativeAsr_open(
    JNIEnv* env, jclass type, jstring model_path, jstring tokenizer_path, jstring data_path,
    jstring preprocessor_path);
JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_asr_NativeAsr_destroy(JNIEnv* env,
                                                                                   jclass type,
                                                                                   jlong module);
JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_asr_NativeAsr_load(JNIEnv* env,
                                                                                jclass type,
                                                                                jlong module);
JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_asr_NativeAsr_transcribe(
    JNIEnv* env, jclass type, jlong module, jstring recording, jlong max_new_tokens,
    jfloat temperature, jlong decoder_start_token_id, jobject callback);
JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_asr_NativeAsr_stop(JNIEnv* env,
                                                                                jclass type,
                                                                                jlong module);
}
