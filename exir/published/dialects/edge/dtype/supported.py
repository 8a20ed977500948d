"""Element types under the names that schemas and ``edge.yaml`` have for them."""

import torch

regular_tensor_str_to_dtypes = {
    "Bool": torch.bool,
    "Byte": torch.uint8,
    "Char": torch.int8,
    "Short": torch.int16,
    "Int": torch.int32,
    "Long": torch.int64,
    "Half": torch.float16,
    "BFloat16": torch.bfloat16,
    "Float": torch.float32,
    "Double": torch.float64,
    "UInt16": torch.uint16,
    "ComplexFloat": torch.complex64,
    "ComplexDouble": torch.complex128,
}
regular_tensor_dtypes_to_str = {dtype: name for name, dtype in regular_tensor_str_to_dtypes.items()}

quantized_tensor_str_to_dtypes = {"QInt8": torch.qint8, "QUInt8": torch.quint8, "QInt32": torch.qint32}
quantized_tensor_dtypes_to_str = {dtype: name for name, dtype in quantized_tensor_str_to_dtypes.items()}
