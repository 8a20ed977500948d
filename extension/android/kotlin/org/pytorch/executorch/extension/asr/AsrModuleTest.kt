package org.pytorch.executorch.extension.asr

import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Test
import org.pytorch.executorch.ExecutorchRuntimeException
import java.io.File
import java.nio.ByteBuffer
import java.nio.ByteOrder

/** With a model that says its samples: each is the number of a letter over 256, and 256 is the token of the end. */
class AsrModuleTest {
    private fun file(name: String): String = System.getProperty("test.data") + "/" + name

    private fun open() = AsrModule(modelPath = file("listener.pte"), tokenizerPath = file("tokenizer.json"))

    /** A recording of eight samples: of a text, and of the end behind it. */
    private fun recording(
        text: ByteArray,
        samplesPerSecond: Int = 16000,
    ): String {
        val numbers = IntArray(8) { if (it < text.size) text[it].toInt() and 0xff else 256 }
        val wav = ByteBuffer.allocate(44 + 4 * numbers.size).order(ByteOrder.LITTLE_ENDIAN)
        wav.put("RIFF".toByteArray()).putInt(36 + 4 * numbers.size).put("WAVEfmt ".toByteArray()).putInt(16)
        wav.putShort(3).putShort(1).putInt(samplesPerSecond).putInt(4 * samplesPerSecond).putShort(4).putShort(32)
        wav.put("data".toByteArray()).putInt(4 * numbers.size)
        numbers.forEach { wav.putFloat(it / 256f) }
        val file = File.createTempFile("recording", ".wav")
        file.deleteOnExit()
        file.writeBytes(wav.array())
        return file.path
    }

    private fun heard(
        text: String,
        config: AsrTranscribeConfig = AsrTranscribeConfig(),
    ): String {
        val said = StringBuilder()
        open().use { assertEquals(0, it.transcribe(recording(text.toByteArray()), config) { piece -> said.append(piece) }) }
        return said.toString()
    }

    @Test
    fun saysWhatItHears() {
        assertEquals("abc</s>", heard("abc"))
        assertEquals("ab", heard("abc", AsrTranscribeConfig(maxNewTokens = 2)))
        // The bytes of a character come as one piece; those of half a character as U+FFFD.
        assertEquals("\u00e9\ud83d\ude00</s>", heard("\u00e9\ud83d\ude00"))
        assertEquals("\ufffd", heard("\ud83d\ude00", AsrTranscribeConfig.Builder().setMaxNewTokens(1).setTemperature(0f).build()))
    }

    @Test
    fun needsNoCallback() {
        open().use {
            assertTrue(it.isValid)
            assertEquals(0, it.load())
            assertEquals(0, it.transcribe(recording("a".toByteArray()), callback = null))
            assertEquals(0, it.transcribe(recording("a".toByteArray())))
        }
    }

    @Test
    fun aCallbackStopsIt() {
        val said = StringBuilder()
        open().use { module ->
            module.transcribe(recording("abc".toByteArray())) {
                said.append(it)
                module.stop()
            }
            val thrown =
                assertThrows(IllegalStateException::class.java) {
                    module.transcribe(recording("abc".toByteArray())) { throw IllegalStateException("enough of $it") }
                }
            assertEquals("enough of a", thrown.message)
            assertThrows(IllegalStateException::class.java) {
                module.transcribe(recording("abc".toByteArray())) { module.close() }
            }
        }
        assertEquals("a", said.toString())
    }

    @Test
    fun saysWhatIsWrong() {
        assertThrows(IllegalArgumentException::class.java) { AsrModule(file("nowhere.pte"), file("tokenizer.json")) }
        assertThrows(IllegalArgumentException::class.java) { AsrModule(file("listener.pte"), file("nowhere.json")) }
        assertThrows(IllegalArgumentException::class.java) { AsrTranscribeConfig(maxNewTokens = 0) }
        val module = open()
        module.use {
            assertThrows(IllegalArgumentException::class.java) { it.transcribe(file("nowhere.wav")) }
            val thrown =
                assertThrows(ExecutorchRuntimeException::class.java) { it.transcribe(recording(ByteArray(1), 8000)) }
            assertTrue(thrown.message, thrown.message!!.contains("8000 samples a second"))
        }
        assertFalse(module.isValid)
        assertThrows(IllegalStateException::class.java) { module.transcribe(recording(ByteArray(1))) }
        AsrModule(file("add.pte"), file("tokenizer.json")).use {
            assertTrue(assertThrows(ExecutorchRuntimeException::class.java) { it.load() }.message!!.contains("no method encoder"))
        }
    }
}
