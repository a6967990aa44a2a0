# Installs into an empty prefix and looks for the files that the documentation names.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${PREFIX})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX})
foreach(file bin/drom include/drom/drom.h include/drom/drom.f90 ${LIBDIR}/libdrom.so ${LIBDIR}/libdrom.so.0 ${LIBDIR}/libdrom-agent.so ${LIBDIR}/libdrom-omp.so ${LIBDIR}/libdrom-mpi.so
        include/drom/dlb.h include/drom/dlb_drom.h include/drom/dlb_types.h include/drom/dlb_errors.h ${LIBDIR}/libdlb.so
        include/drom/dlbf.h include/drom/dlbf_drom.h include/drom/dlbf-errors.h ${LIBDIR}/libdlb_mpi.so ${LIBDIR}/libdlb_dbg.so ${LIBDIR}/libdlb_mpi_dbg.so
        ${LIBDIR}/cmake/drom/dromConfig.cmake ${LIBDIR}/cmake/drom/dromConfigVersion.cmake ${LIBDIR}/pkgconfig/drom.pc ${LIBDIR}/pkgconfig/drom-dlb.pc
        share/man/man1/drom.1 share/drom/schemas/list.schema.json share/drom/energy/thesis.apps share/drom/platforms/kinds.apps share/bash-completion/completions/drom share/zsh/site-functions/_drom share/fish/vendor_completions.d/drom.fish)
  if(NOT EXISTS ${PREFIX}/${file})
    message(FATAL_ERROR "not installed: ${file}")
  endif()
endforeach()
# The Python package finds the library that it was installed with, with no variable's help but the one that names the package's place.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
run(${CMAKE_COMMAND} -E env --unset=LD_LIBRARY_PATH PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=${PREFIX}/${LIBDIR}/python3/dist-packages
  ${Python3_EXECUTABLE} -c "import drom, sys; sys.exit(not drom._library.lib._name.startswith('${PREFIX}'))")
# The documents are where their links expect them, and so are the licences.
run(${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1 ${Python3_EXECUTABLE} ${SOURCE}/scripts/lint/documents.py --links ${PREFIX}/share/doc/drom)
message(STATUS "${out}")
foreach(file LICENSE LICENSES/GPL-2.0-or-later.txt CITATION.cff CHANGELOG.md docs/index.md docs/images/handover.svg examples/api/follow.c)
  if(NOT EXISTS ${PREFIX}/share/doc/drom/${file})
    message(FATAL_ERROR "not installed: ${file}")
  endif()
endforeach()
file(GLOB_RECURSE installed RELATIVE ${PREFIX} ${PREFIX}/*)
list(LENGTH installed count)
message(STATUS "${count} files installed")
