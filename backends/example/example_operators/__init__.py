"""One module for each pattern that the example backend takes: how it is found, and what of it is quantized."""
