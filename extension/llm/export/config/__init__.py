"""What an export of a language model is asked for."""
