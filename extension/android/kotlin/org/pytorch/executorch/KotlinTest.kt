package org.pytorch.executorch

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancel
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNotEquals
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Test
import org.pytorch.executorch.extension.llm.LlmGenerationConfig
import org.pytorch.executorch.extension.llm.LlmModule
import org.pytorch.executorch.extension.llm.awaitLoad
import org.pytorch.executorch.extension.llm.generation
import org.pytorch.executorch.training.SGD
import org.pytorch.executorch.training.awaitForwardBackward
import org.pytorch.executorch.training.loadTrainingModule
import java.util.concurrent.Executors

/** The functions for coroutines do what Java's methods do, on other threads, and stop when they are told to. */
class KotlinTest {
    private fun file(name: String): String = System.getProperty("test.data") + "/" + name

    private fun floats(vararg values: Float): EValue = values.toTensor(2, 3).toEValue()

    @Test
    fun runsOnTheDispatcher() {
        val executor = Executors.newSingleThreadExecutor { Thread(it, "runtime") }
        executor.asCoroutineDispatcher().use { dispatcher ->
            runBlocking {
                loadModule(file("add.pte"), dispatcher = dispatcher).use { module ->
                    module.awaitLoadMethod("forward", dispatcher)
                    val output = module.awaitForward(floats(1f, 2f, 3f, 4f, 5f, 6f), floats(1f, 1f, 1f, 1f, 1f, 1f), dispatcher = dispatcher)
                    assertArrayEquals(floatArrayOf(2f, 3f, 4f, 5f, 6f, 7f), output[0].toTensor().dataAsFloatArray, 0f)
                }
            }
        }
    }

    @Test
    fun manyCallersShareAModule() = runBlocking {
        loadModule(file("types.pte")).use { module ->
            val sums =
                (1L..100L).map { number ->
                    async(Dispatchers.Default) {
                        val input = LongArray(6) { number }.toTensor(2, 3).toEValue()
                        module.awaitExecute("int64", input, input)[0].toTensor().dataAsLongArray[5]
                    }
                }.awaitAll()
            assertEquals((1L..100L).map { 2 * it }, sums)
        }
    }

    @Test
    fun whatIsRefusedIsThrown() {
        assertThrows(IllegalArgumentException::class.java) { runBlocking { loadModule(file("nowhere.pte")) } }
        runBlocking {
            loadModule(file("add.pte")).use { module ->
                val thrown =
                    assertThrows(ExecutorchRuntimeException::class.java) { runBlocking { module.awaitLoadMethod("backward") } }
                assertNotEquals(ExecutorchRuntimeException.OK, thrown.errorCode)
            }
        }
    }

    @Test
    fun whatACancelledCallerWouldHaveOwnedIsClosed() {
        class Resource : AutoCloseable {
            var closed = false

            override fun close() {
                closed = true
            }
        }
        val resource = Resource()
        assertThrows(CancellationException::class.java) {
            runBlocking {
                val scope = this
                ownedByCaller(Dispatchers.Default) { resource.also { scope.cancel() } }
            }
        }
        assertTrue(resource.closed)
    }

    @Test
    fun aModelAnswersPieceByPiece() = runBlocking {
        LlmModule(file("successor.pte"), file("tokenizer.json"), 0f).use { module ->
            module.awaitLoad()
            val whole = LlmGenerationConfig.create().echo(false).temperature(0f).maxNewTokens(6).build()
            val figures = mutableListOf<String>()
            val pieces = module.generation("a", whole) { figures += it }.toList()
            assertTrue(pieces.toString(), pieces.size > 1)
            assertEquals(1, figures.size)
            module.resetContext()
            // The run ends with the collector that has enough; else the next one would wait for it.
            assertEquals(pieces.first(), module.generation("a", whole).first())
            module.resetContext()
            assertEquals(pieces, module.generation("a", whole).toList())
        }
    }

    @Test
    fun aNetworkLearns() = runBlocking {
        loadTrainingModule(file("xor.pte")).use { module ->
            val input = floatArrayOf(0f, 1f).toTensor(1, 2).toEValue()
            val label = longArrayOf(1).toTensor(1).toEValue()
            suspend fun loss(): Float = module.awaitForwardBackward("forward", input, label)[0].toTensor().dataAsFloatArray[0]
            val first = loss()
            val optimizer = SGD.create(module.namedParameters("forward"), 0.1)
            repeat(50) {
                optimizer.step(module.namedGradients("forward"))
                loss()
            }
            assertTrue(loss() < first / 2)
        }
    }
}
