package org.pytorch.executorch.extension.asr

import org.pytorch.executorch.ExecuTorchRuntime
import org.pytorch.executorch.ExecutorchRuntimeException
import org.pytorch.executorch.annotations.Experimental
import java.io.Closeable
import java.io.File
import java.util.concurrent.locks.ReentrantLock
import kotlin.concurrent.withLock

/**
 * A model that transcribes speech, such as Whisper, with its tokenizer.
 *
 * ```kotlin
 * AsrModule("model.pte", "tokenizer.json", preprocessorPath = "whisper_preprocessor.pte").use { module ->
 *     module.transcribe("speech.wav") { print(it) }
 * }
 * ```
 *
 * Every method may be called from any thread; calls of one module run one after the other, but for [stop], which ends the one
 * that runs. A callback may call [stop] and nothing else of its module. A closed module throws [IllegalStateException], and
 * what the runtime refuses is an [ExecutorchRuntimeException].
 *
 * @param modelPath a `.pte` file with the methods `encoder` and `text_decoder`
 * @param tokenizerPath a tokenizer's file, or the directory with its `tokenizer.json`
 * @param dataPath a `.ptd` file with weights that lie outside of the program
 * @param preprocessorPath the `.pte` file that makes features of samples; null for a model that takes samples
 */
@Experimental
public class AsrModule
    @JvmOverloads
    constructor(
        modelPath: String,
        tokenizerPath: String,
        dataPath: String? = null,
        preprocessorPath: String? = null,
    ) : Closeable {
        private val lock = ReentrantLock()

        /** Of the natives; 0 once closed. Changed with the lock and this object's monitor, read with either. */
        private var handle: Long

        init {
            ExecuTorchRuntime.getRuntime() // loads the library
            ExecuTorchRuntime.validateFilePath(modelPath, "model")
            require(File(tokenizerPath).exists()) { "Cannot load the tokenizer at $tokenizerPath: no such file" }
            dataPath?.let { ExecuTorchRuntime.validateFilePath(it, "data file") }
            preprocessorPath?.let { ExecuTorchRuntime.validateFilePath(it, "preprocessor") }
            handle = NativeAsr.open(modelPath, tokenizerPath, dataPath, preprocessorPath)
        }

        /** Whether it is not closed. */
        public val isValid: Boolean
            @Synchronized get() = handle != 0L

        /** Loads program and tokenizer, which the first transcription does as well. Returns 0. */
        public fun load(): Int =
            locked {
                NativeAsr.load(it)
                ExecutorchRuntimeException.OK
            }

        /**
         * Transcribes a recording: a WAV file of one channel and 16,000 samples a second. Returns 0 when it has ended.
         *
         * @param callback told the text of each token; what it throws ends the transcription and is thrown
         */
        @JvmOverloads
        public fun transcribe(
            wavPath: String,
            config: AsrTranscribeConfig = AsrTranscribeConfig(),
            callback: AsrCallback? = null,
        ): Int =
            locked {
                ExecuTorchRuntime.validateFilePath(wavPath, "recording")
                with(config) {
                    NativeAsr.transcribe(it, wavPath, maxNewTokens, temperature, decoderStartTokenId, callback)
                }
                ExecutorchRuntimeException.OK
            }

        /** Ends the transcription that runs after the token at hand; from any thread. */
        @Synchronized
        public fun stop() {
            if (handle != 0L) {
                NativeAsr.stop(handle)
            }
        }

        /** Waits for a call that runs, and gives everything back. More than once does nothing. */
        override fun close() {
            check(!lock.isHeldByCurrentThread) { CALLED_BACK }
            lock.withLock {
                synchronized(this) {
                    if (handle != 0L) {
                        NativeAsr.destroy(handle)
                        handle = 0L
                    }
                }
            }
        }

        private fun <T> locked(body: (Long) -> T): T {
            check(!lock.isHeldByCurrentThread) { CALLED_BACK }
            return lock.withLock {
                check(handle != 0L) { "The module is closed" }
                body(handle)
            }
        }

        private companion object {
            const val CALLED_BACK = "A callback may call stop() and nothing else of its module"
        }
    }
