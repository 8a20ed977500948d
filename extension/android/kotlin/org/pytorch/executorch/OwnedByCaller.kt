package org.pytorch.executorch

import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.withContext

/** What [make] makes, unless the caller is cancelled before it could take it: then it is closed. */
internal suspend fun <T : AutoCloseable> ownedByCaller(dispatcher: CoroutineDispatcher, make: () -> T): T {
    var made: T? = null
    try {
        return withContext(dispatcher) { make().also { made = it } }
    } catch (thrown: Throwable) {
        made?.close()
        throw thrown
    }
}
