# DROM_SANITIZE: what -fsanitize= gets. Sets DROM_ASAN_LIBRARY, the shared library of AddressSanitizer: an instrumented
# agent brings it into programs that have none, so clang, too, has to use it instead of a static one.
if(DROM_SANITIZE)
  add_compile_options(-fsanitize=${DROM_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${DROM_SANITIZE})
endif()
if(DROM_SANITIZE MATCHES address)
  set(library libasan.so)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    set(library libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so)
  endif()
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${library}
    OUTPUT_VARIABLE DROM_ASAN_LIBRARY OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(DROM_SANITIZE MATCHES address AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
  get_filename_component(folder ${DROM_ASAN_LIBRARY} DIRECTORY)
  # The loader knows no folder of clang's. -fsanitize=function wants a runtime for C++ in programs in C.
  add_compile_options(-shared-libasan $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=function>)
  add_link_options(-shared-libasan LINKER:-rpath,${folder})
endif()
unset(library)
unset(folder)
