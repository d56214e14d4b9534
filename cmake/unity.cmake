# Unity builds: the .cpp files of a folder are compiled in batches, each one translation unit, because most of the time
# that a small file takes goes into headers that its neighbours need too. File-local names are therefore unique within a
# module. FOREFLOW_UNITY=OFF compiles every file alone, as clang-tidy and language servers want it.
option(FOREFLOW_UNITY "Compile the sources of a folder together, in batches" ON)

# foreflow_unity(TARGET SOURCE...): batches of at most 80 kB, never of two folders. Files with compile options of their own
# stay alone, as does what SKIP_UNITY_BUILD_INCLUSION names.
function(foreflow_unity target)
  if(NOT FOREFLOW_UNITY)
    return()
  endif()
  set(limit 80000)
  set(folder "")
  set(number 0)
  set(filled 0)
  set(sources ${ARGN})
  list(SORT sources)
  foreach(source IN LISTS sources)
    get_filename_component(this ${source} DIRECTORY)
    file(SIZE ${source} size)
    math(EXPR filled "${filled} + ${size}")
    if(NOT this STREQUAL folder OR filled GREATER limit)
      set(folder ${this})
      set(filled ${size})
      math(EXPR number "${number} + 1")
    endif()
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${folder})
    string(REPLACE "/" "_" name ${name})
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${number})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
