"""From a subgraph to the delegate's graph."""
