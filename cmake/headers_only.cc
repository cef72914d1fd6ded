// Empty: its targets only precompile headers for others (Ballast.cmake).
