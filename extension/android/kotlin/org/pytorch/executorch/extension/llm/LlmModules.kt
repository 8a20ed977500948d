package org.pytorch.executorch.extension.llm

import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.channels.awaitClose
import kotlinx.coroutines.channels.trySendBlocking
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.callbackFlow
import kotlinx.coroutines.flow.flowOn
import kotlinx.coroutines.withContext
import org.pytorch.executorch.ExecutorchRuntimeException

/** Loads the program as [LlmModule.load] does, on a thread for files; an [ExecutorchRuntimeException] says why it cannot be. */
public suspend fun LlmModule.awaitLoad(dispatcher: CoroutineDispatcher = Dispatchers.IO) {
    val error = withContext(dispatcher) { load() }
    if (error != ExecutorchRuntimeException.OK) {
        throw ExecutorchRuntimeException(error, "The model cannot be loaded; readLogBuffer has the reason")
    }
}

/**
 * The answer to a prompt, piece by piece, as it is made. Each collector starts a run; one that is cancelled, or that has
 * enough, stops it. A run waits for a collector that is slow. What the run is refused for is thrown.
 *
 * @param statsTo told the figures of the run at its end, in JSON
 */
public fun LlmModule.generation(
    prompt: String,
    config: LlmGenerationConfig,
    dispatcher: CoroutineDispatcher = Dispatchers.Default,
    statsTo: (String) -> Unit = {},
): Flow<String> =
    callbackFlow {
        var failure: ExecutorchRuntimeException? = null
        val callback =
            object : LlmCallback {
                override fun onResult(result: String) {
                    if (trySendBlocking(result).isFailure) {
                        stop()
                    }
                }

                override fun onStats(stats: String) = statsTo(stats)

                override fun onError(errorCode: Int, message: String) {
                    failure = ExecutorchRuntimeException(errorCode, message)
                }
            }
        generate(prompt, config, callback)
        close(failure)
        awaitClose()
    }.flowOn(dispatcher)
