# A project that says find_package(drom 0.1 REQUIRED) builds and runs against the installation.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
if(SANITIZE)
  set(flags -DCMAKE_C_FLAGS=-fsanitize=${SANITIZE} -DCMAKE_CXX_FLAGS=-fsanitize=${SANITIZE})
endif()
run(${CMAKE_COMMAND} -G Ninja -S ${HERE}/find-package -B ${WORK} -DCMAKE_PREFIX_PATH=${PREFIX} -DCMAKE_C_COMPILER=${CC}
    -DCMAKE_CXX_COMPILER=${CXX} ${flags})
run(${CMAKE_COMMAND} --build ${WORK})
run(${WORK}/consumer)
run(${WORK}/consumer_dlb)
