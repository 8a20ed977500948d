"""What tests of bundled programs share."""
