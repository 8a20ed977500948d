package org.pytorch.executorch.training

import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext
import org.pytorch.executorch.EValue
import org.pytorch.executorch.ownedByCaller

/** Loads a program as [TrainingModule.load] does, on a thread for files. */
public suspend fun loadTrainingModule(
    path: String,
    dataPath: String? = null,
    dispatcher: CoroutineDispatcher = Dispatchers.IO,
): TrainingModule = ownedByCaller(dispatcher) { TrainingModule.load(path, dataPath) }

/** Runs a method forward and backward as [TrainingModule.executeForwardBackward] does, on a thread for computing. */
public suspend fun TrainingModule.awaitForwardBackward(
    methodName: String,
    vararg inputs: EValue,
    dispatcher: CoroutineDispatcher = Dispatchers.Default,
): Array<EValue> = withContext(dispatcher) { executeForwardBackward(methodName, *inputs) }
