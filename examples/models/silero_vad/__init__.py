"""Whether somebody speaks."""
