package org.pytorch.executorch

import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext

/**
 * Loads a `.pte` file as [Module.load] does, on a thread for files.
 *
 * Like every function here it can be called from any thread, the one of the screen included, and what the runtime refuses is
 * thrown. A call of the runtime that has begun runs to its end; where the coroutine is cancelled meanwhile, what it made is
 * let go of.
 */
public suspend fun loadModule(
    path: String,
    dataPaths: List<String> = emptyList(),
    loadMode: Int = Module.LOAD_MODE_MMAP,
    numThreads: Int = 0,
    dispatcher: CoroutineDispatcher = Dispatchers.IO,
): Module =
    ownedByCaller(dispatcher) { Module.load(path, dataPaths.toTypedArray(), loadMode, numThreads) }

/** Runs the method `forward` as [Module.forward] does, on a thread for computing. */
public suspend fun Module.awaitForward(
    vararg inputs: EValue,
    dispatcher: CoroutineDispatcher = Dispatchers.Default,
): Array<EValue> = withContext(dispatcher) { forward(*inputs) }

/** Runs a method as [Module.execute] does, on a thread for computing. */
public suspend fun Module.awaitExecute(
    methodName: String,
    vararg inputs: EValue,
    dispatcher: CoroutineDispatcher = Dispatchers.Default,
): Array<EValue> = withContext(dispatcher) { execute(methodName, *inputs) }

/** Loads a method, so that its first run is as fast as the others; an [ExecutorchRuntimeException] says why it cannot be. */
public suspend fun Module.awaitLoadMethod(
    methodName: String,
    dispatcher: CoroutineDispatcher = Dispatchers.Default,
) {
    val error = withContext(dispatcher) { loadMethod(methodName) }
    if (error != ExecutorchRuntimeException.OK) {
        throw ExecutorchRuntimeException(error, "The method $methodName cannot be loaded; readLogBuffer has the reason")
    }
}

/** A tensor from a copy of the elements. */
public fun FloatArray.toTensor(vararg shape: Long): Tensor = Tensor.fromBlob(this, shape)

/** A tensor from a copy of the elements. */
public fun IntArray.toTensor(vararg shape: Long): Tensor = Tensor.fromBlob(this, shape)

/** A tensor from a copy of the elements. */
public fun LongArray.toTensor(vararg shape: Long): Tensor = Tensor.fromBlob(this, shape)

/** A tensor from a copy of the elements. */
public fun DoubleArray.toTensor(vararg shape: Long): Tensor = Tensor.fromBlob(this, shape)

/** The tensor as an input. */
public fun Tensor.toEValue(): EValue = EValue.from(this)
