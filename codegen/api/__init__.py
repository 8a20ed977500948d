"""From operators' schemas to the C++ of kernels: types, signatures, unboxing."""
