#pragma once

#include <jni.h>

// The native methods of org.pytorch.executorch.extension.llm.NativeLlm, which NativeLlm.java
// documents.
extern "C" {
JNIEXPORT jlong JNICALL Java_org_pytorch_executorch_extension_llm_NativeLlm_open(
    JNIEnv* env, jclass type, jstring module_path, jstring tokenizer_path, jobjectArray data_paths,
    jboolean multimodal, jint load_mode);
JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_llm_NativeLlm_destroy(JNIEnv* env,
                                                                                   jclass type,
                                                                                   jlong module);
JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_llm_NativeLlm_load(JNIEnv* env,
                                                                                jclass type,
                                                                                jlong module);
JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_llm_NativeLlm_generate(
    JNIEnv* env, jclass type, jlong module, jstring prompt, jboolean echo, jint max_new_tokens,
    jboolean warming, jint seq_len, jfloat temperature, jint num_bos, jint num_eos,
    jobject callback);
JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_llm_NativeLlm_stop(JNIEnv* env,
                                                                                jclass type,
                                                                                jlong module);
JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_llm_NativeLlm_reset(JNIEnv* env,
                                                                                 jclass type,
                                                                                 jlong module);
JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_llm_NativeLlm_appendText(JNIEnv* env,
                                                                                      jclass type,
                                                                                      jlong module,
                                                                                      jstring text);
JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_llm_NativeLlm_appendImage(
    JNIEnv* env, jclass type, jlong module, jbyteArray bytes, jfloatArray floats, jint width,
    jint height, jint channels);
JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_llm_NativeLlm_appendAudio(
    JNIEnv* env, jclass type, jlong module, jbyteArray bytes, jfloatArray floats, jint batch_size,
    jint bins, jint frames);
JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_llm_NativeLlm_appendRawAudio(
    JNIEnv* env, jclass type, jlong module, jbyteArray bytes, jfloatArray floats, jint batch_size,
    jint channels, jint samples);
}
