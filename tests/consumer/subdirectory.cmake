# A project that adds drom's source as a folder builds the library it needs, and nothing else, and runs.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
run(${CMAKE_COMMAND} -G Ninja -S ${HERE}/subdirectory -B ${WORK} -DDROM_SOURCE=${SOURCE} -DCMAKE_C_COMPILER=${CC}
    -DCMAKE_CXX_COMPILER=${CXX})
run(${CMAKE_COMMAND} --build ${WORK} --target consumer)
file(GLOB consumer ${WORK}/consumer ${WORK}/bin/consumer)
run(${consumer})
