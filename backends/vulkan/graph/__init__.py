"""From edge graphs to graphs of the delegate."""
