// Only its precompiled headers are used (Ballast.cmake).
