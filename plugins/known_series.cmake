# Which functions a series of Slurm wants of its plugins, and which of them there are here. Also run as a script:
#   cmake -DTREE=SOURCE-TREE -DSERIES=25.05 -P plugins/known_series.cmake

# wanted_functions(TREE KIND RESULT): the names that Slurm looks up in a plugin of this kind (task, select).
function(wanted_functions tree kind result)
  set(names "")
  foreach(file src/interfaces/${kind}.c src/common/node_select.c src/slurmd/common/task_plugin.c)
    if(EXISTS ${tree}/${file})
      file(STRINGS ${tree}/${file} lines REGEX "^[ \t]*\"${kind}_p_[a-z_]+\"")
      string(REGEX MATCHALL "${kind}_p_[a-z_]+" found "${lines}")
      list(APPEND names ${found})
    endif()
  endforeach()
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

# written_functions(FOLDER KIND RESULT): the names that a plugin here has, for any series.
function(written_functions folder kind result)
  file(GLOB sources ${folder}/*.cpp ${folder}/slurm-*/*.cpp)
  set(names "")
  foreach(file IN LISTS sources)
    file(STRINGS ${file} lines REGEX "${kind}_p_[a-z_]+\\(")
    string(REGEX MATCHALL "${kind}_p_[a-z_]+" found "${lines}")
    list(APPEND names ${found})
  endforeach()
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

# describe_functions(TREE KIND FOLDER SENTENCE)
function(describe_functions tree kind folder sentence)
  wanted_functions(${tree} ${kind} wanted)
  written_functions(${folder} ${kind} written)
  set(new ${wanted})
  list(REMOVE_ITEM new ${written} "")
  list(JOIN wanted ", " all)
  list(JOIN new ", " some)
  if(NOT some)
    set(some "none")
  endif()
  set(${sentence} "Its ${kind} plugins have ${all}. Of these no series here has: ${some}." PARENT_SCOPE)
endfunction()

# known_in(FOLDER RESULT): the series that a plugin has code for, as text.
function(known_in folder result)
  file(GLOB known RELATIVE ${folder} ${folder}/slurm-*)
  list(TRANSFORM known REPLACE "^slurm-" "")
  list(JOIN known " and " known)
  set(${result} "${known}" PARENT_SCOPE)
endfunction()

# tell_of_left_out(TREE SERIES KIND NAME): warns when the plugin in the folder NAME has no code for the series.
function(tell_of_left_out tree series kind name)
  set(folder ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${name})
  if(IS_DIRECTORY ${folder}/slurm-${series})
    return()
  endif()
  known_in(${folder} known)
  describe_functions(${tree} ${kind} ${folder} functions)
  message(WARNING "${tree}: the ${kind} plugin is left out: there is no code for Slurm ${series}, only for ${known}. ${functions} "
                  "What differs belongs in plugins/${name}/slurm-${series}.")
endfunction()

# require_known_series(TREE SERIES): stops when no plugin has code for the series, and warns of one that has none.
function(require_known_series tree series)
  set(plugins ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  if(IS_DIRECTORY ${plugins}/task_affinity/slurm-${series} OR IS_DIRECTORY ${plugins}/select_malleable/slurm-${series})
    tell_of_left_out(${tree} ${series} task task_affinity)
    tell_of_left_out(${tree} ${series} select select_malleable)
    return()
  endif()
  known_in(${plugins}/task_affinity known)
  describe_functions(${tree} task ${plugins}/task_affinity tasks)
  describe_functions(${tree} select ${plugins}/select_malleable selects)
  message(FATAL_ERROR "${tree}: there is no code for Slurm ${series}, only for ${known}. ${tasks} ${selects} "
                      "What differs belongs in plugins/task_affinity/slurm-${series} and plugins/select_malleable/slurm-${series}.")
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  require_known_series(${TREE} ${SERIES})
endif()
