"""A backend to read: quantizer, partitioner and preprocessing in their smallest useful form."""
