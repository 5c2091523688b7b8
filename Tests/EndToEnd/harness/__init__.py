"""What the end-to-end tests and the benchmarks stand on: processes, networks, displays, peers, pictures."""
