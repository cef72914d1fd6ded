// Empty: its target only precompiles the headers of all tests.
