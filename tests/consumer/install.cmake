# Installs into an empty prefix and looks for the files that the documentation names.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${PREFIX})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX})
foreach(file bin/drom include/drom/drom.h ${LIBDIR}/libdrom.so ${LIBDIR}/libdrom.so.0 ${LIBDIR}/libdrom-gomp.so ${LIBDIR}/libdrom-mpi.so
        ${LIBDIR}/cmake/drom/dromConfig.cmake ${LIBDIR}/cmake/drom/dromConfigVersion.cmake ${LIBDIR}/pkgconfig/drom.pc
        share/man/man1/drom.1 share/bash-completion/completions/drom)
  if(NOT EXISTS ${PREFIX}/${file})
    message(FATAL_ERROR "not installed: ${file}")
  endif()
endforeach()
file(GLOB_RECURSE installed RELATIVE ${PREFIX} ${PREFIX}/*)
list(LENGTH installed count)
message(STATUS "${count} files installed")
