# run(COMMAND...) stops the test with the command's output when it fails; `out` holds what it printed.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT status EQUAL 0)
    list(JOIN ARGV " " line)
    message(FATAL_ERROR "${line}\nended with ${status}\n${out}${err}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

# Every consumer has a table of its own.
set(ENV{DROM_TABLE} ${WORK}/table)
set(ENV{LD_LIBRARY_PATH} ${PREFIX}/${LIBDIR})
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
