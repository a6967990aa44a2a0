# Reading headers of the system takes a third of the time of a build: of the standard library, fmt, JSON, GoogleTest.

# drom_precompile(TARGET <HEADER>...): reads these headers once for all sources of the target. Each source still includes
# what it uses: clang-tidy reads it without them.
#
# Only headers of the system belong into a precompiled header. After a change of comments in a header of ours, ccache
# returns the precompiled header of the old file. gcc compares the files, so `#pragma once` does not hold, and the
# header is read twice.
function(drom_precompile target)
  foreach(header ${ARGN})
    if(NOT header MATCHES "^<.*>$")
      message(FATAL_ERROR "drom_precompile(${target}): ${header} is a header of this project; name headers of the system, as <gtest/gtest.h>")
    endif()
  endforeach()
  target_precompile_headers(${target} PRIVATE ${ARGN})
endfunction()

# drom_unoptimised_with_sanitizer(TARGET...): for sources that no suite runs for long. Optimising what a sanitizer adds
# takes half of the compiler's time.
function(drom_unoptimised_with_sanitizer)
  if(DROM_SANITIZE)
    foreach(target ${ARGN})
      target_compile_options(${target} PRIVATE -O0)
    endforeach()
  endif()
endfunction()

# drom_quick_to_build(TARGET <HEADER>...): precompiles these headers for the sources of a test, which are optimised no
# further than thousands of cases need. With a sanitizer, optimising them costs three fifths of the compiler's time.
function(drom_quick_to_build target)
  set(level g)
  if(DROM_SANITIZE)
    set(level 0)
  endif()
  target_compile_options(${target} PRIVATE -O${level} -g1)
  drom_precompile(${target} ${ARGN})
endfunction()
