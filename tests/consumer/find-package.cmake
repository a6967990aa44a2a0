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

# Without tl::expected: the C interface as before, with a sentence about the other one; who asks for that one is refused with it.
file(WRITE ${WORK}-cxx/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(consumer CXX)\nfind_package(drom 0.1 REQUIRED COMPONENTS CXX)\n")
set(places -DCMAKE_PREFIX_PATH=${PREFIX} -DCMAKE_C_COMPILER=${CC} -DCMAKE_CXX_COMPILER=${CXX})
run(${CMAKE_COMMAND} -G Ninja -S ${WORK}-cxx -B ${WORK}-cxx/with ${places})
set(sentence "drom.hpp cannot be used, because tl::expected is not there; install libexpected-dev")
run(${CMAKE_COMMAND} -G Ninja -S ${HERE}/find-package -B ${WORK}-cxx/without ${places} -DCMAKE_DISABLE_FIND_PACKAGE_tl-expected=ON)
if(NOT out MATCHES "${sentence}")
  message(FATAL_ERROR "find_package(drom) does not say that drom.hpp cannot be used:\n${out}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${WORK}-cxx -B ${WORK}-cxx/refused ${places} -DCMAKE_DISABLE_FIND_PACKAGE_tl-expected=ON
  RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE err)
string(REGEX REPLACE "[ \n]+" " " err "${err}")
if(status EQUAL 0 OR NOT err MATCHES "${sentence}")
  message(FATAL_ERROR "find_package(drom COMPONENTS CXX) ended with ${status} and said:\n${err}")
endif()
