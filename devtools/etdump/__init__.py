"""ETDump, the recording of a run: its objects (``schema_flatcc``) and its file format (``serialize``)."""
