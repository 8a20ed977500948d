#pragma once

#include <jni.h>

// The native method of org.pytorch.executorch.NativeEtdump, which NativeEtdump.java documents.
extern "C" {
JNIEXPORT void JNICALL Java_org_pytorch_executorch_NativeEtdump_write(JNIEnv* env, jclass type,
                                                                      jlong module, jstring path);
}
