# What `cmake --install` puts where: the libraries, the headers, and how other projects find them. The command installs itself, with
# its manual pages and completion (tools/drom).
include(CMakePackageConfigHelpers)

install(TARGETS drom EXPORT drom-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP COMPONENT runtime)
install(TARGETS drom
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_ONLY COMPONENT development)
# Loaded by `drom run`, never linked to: no header, no name link, no export.
install(TARGETS drom-agent drom-omp LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
if(TARGET drom-mpi)
  install(TARGETS drom-mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
endif()

# For programs written for DLB; its name has no version, as that of DLB's own library has none. A package that must not
# stand in the place of DLB's own has a folder for it.
set(DROM_DLB_DIR ${CMAKE_INSTALL_LIBDIR} CACHE STRING "Where libdlb.so and its other names go")
file(RELATIVE_PATH libdir_from_dlb /${DROM_DLB_DIR} /${CMAKE_INSTALL_LIBDIR})
set_target_properties(dlb PROPERTIES INSTALL_RPATH "$ORIGIN/${libdir_from_dlb}")
if(libdir_from_dlb STREQUAL "")
  set_target_properties(dlb PROPERTIES INSTALL_RPATH $ORIGIN)
endif()
install(TARGETS dlb EXPORT drom-targets LIBRARY DESTINATION ${DROM_DLB_DIR} COMPONENT runtime)
list(TRANSFORM DROM_DLB_NAMES PREPEND $<TARGET_FILE_DIR:dlb>/ OUTPUT_VARIABLE dlb_names)
install(FILES ${dlb_names} DESTINATION ${DROM_DLB_DIR} COMPONENT runtime)

# Calls libdrom.so beside it through ctypes: needs no compiler and no particular version of Python. Where the interpreter does not look by
# itself, PYTHONPATH says so.
set(DROM_PYTHON_DIR ${CMAKE_INSTALL_LIBDIR}/python3/dist-packages CACHE STRING "Where the Python package goes")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/libdrom/bindings/python/drom DESTINATION ${DROM_PYTHON_DIR}
  COMPONENT runtime FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/libdrom/include/drom DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT development FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/libdrom/bindings/fortran/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/drom COMPONENT development
  FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/libdrom/bindings/fortran/drom.f90 DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/drom COMPONENT development)

# find_package(drom 0.1 REQUIRED) gives drom::drom and drom::dlb.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/drom)
install(EXPORT drom-targets NAMESPACE drom:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/dromConfig.cmake.in ${PROJECT_BINARY_DIR}/dromConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dromConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dromConfig.cmake ${PROJECT_BINARY_DIR}/dromConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT development)

# The prefix is known when it is installed. Where a tree was moved, pkg-config --define-prefix finds its new place.
set(DROM_PC_PREFIX "@DROM_PC_PREFIX@")
foreach(package drom drom-dlb)
  set(template ${PROJECT_BINARY_DIR}/${package}.pc.in)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${package}.pc.in ${template} @ONLY)
  install(CODE "set(DROM_PC_PREFIX \"\${CMAKE_INSTALL_PREFIX}\")
    configure_file(\"${template}\" \"${PROJECT_BINARY_DIR}/${package}.pc\" @ONLY)" COMPONENT development)
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/drom.pc ${PROJECT_BINARY_DIR}/drom-dlb.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# The documents, in the folders that their links expect.
foreach(file LICENSE README.md CHANGELOG.md CITATION.cff CONTRIBUTING.md)
  install(FILES ${PROJECT_SOURCE_DIR}/${file} DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/LICENSES DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development FILES_MATCHING PATTERN "*.md" PATTERN "*.svg"
  PATTERN "man" EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.c" PATTERN "*.cpp" PATTERN "*.hpp" PATTERN "*.f90" PATTERN "*.py" PATTERN "Containerfile" PATTERN "follow.conf" PATTERN "pod.yaml"
  PATTERN "__pycache__" EXCLUDE)
