# no_path.cmake - takes the path for the loader out of an installed file. cmake -DFILE=... -P no_path.cmake
file(RPATH_REMOVE FILE "${FILE}")
