# Unity builds: the .cpp files of a module are compiled in batches, each one translation unit, because most of the time
# that a small file takes goes into headers and templates that its neighbours need too. File-local names are therefore
# unique within a module. FOREFLOW_UNITY=OFF compiles every file alone, as clang-tidy and language servers want it.
# Precompiled headers would save about as much as they cost (bench/README.md).
option(FOREFLOW_UNITY "Compile the sources of a folder together, in batches" ON)

# Bytes of sources in a batch. Larger ones make the whole build cheaper (bench/README.md), smaller ones what follows a
# change: ops are what people add, so theirs are small.
set(FOREFLOW_BATCH 330000)
set(FOREFLOW_BATCH_OF_src_ops 160000)
# Modules that are too small to be worth a compilation of their own: those of one target are one batch, in which
# file-local names are unique.
set(FOREFLOW_SMALL_MODULES src_analyze src_binary src_interpret src_schedule src_store src_stream src_sweep)

# foreflow_size_of(RESULT FOLDER SOURCE...): the bytes of those sources that are in FOLDER itself.
function(foreflow_size_of result folder)
  set(sum 0)
  foreach(source IN LISTS ARGN)
    get_filename_component(this ${source} DIRECTORY)
    if(this STREQUAL folder)
      file(SIZE ${source} size)
      math(EXPR sum "${sum} + ${size}")
    endif()
  endforeach()
  set(${result} ${sum} PARENT_SCOPE)
endfunction()

# foreflow_unity(TARGET SOURCE...): batches in the order of the paths, never of two modules unless both are small. A module is a folder of src
# or of tests, whatever folders are in it (src/ops/shape and tests/unit/ir belong to src/ops and tests/unit). A folder
# that does not fit into what is left of a batch begins the next one. Batches are numbered in their module, so that a new
# file changes the batches of no other module. Files with compile options of their own stay alone, as does what
# SKIP_UNITY_BUILD_INCLUSION names.
function(foreflow_unity target)
  if(NOT FOREFLOW_UNITY)
    return()
  endif()
  set(module "")
  set(folder "")
  set(number 0)
  set(filled 0)
  set(sources ${ARGN})
  list(SORT sources)
  foreach(source IN LISTS sources)
    get_filename_component(this ${source} DIRECTORY)
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${this})
    string(REGEX MATCH "^[a-z]+/[a-z]+" this_module ${path})
    string(REPLACE "/" "_" name "${this_module}")
    if(name IN_LIST FOREFLOW_SMALL_MODULES)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP src_small)
      continue()
    endif()
    file(SIZE ${source} size)
    math(EXPR filled "${filled} + ${size}")
    set(needed ${filled})
    if(NOT this STREQUAL folder)
      foreflow_size_of(rest ${this} ${sources})
      math(EXPR needed "${filled} - ${size} + ${rest}")
      set(folder ${this})
    endif()
    if(NOT this_module STREQUAL module)
      set(number 0)
    endif()
    set(limit ${FOREFLOW_BATCH})
    if(DEFINED FOREFLOW_BATCH_OF_${name})
      set(limit ${FOREFLOW_BATCH_OF_${name}})
    endif()
    if(NOT this_module STREQUAL module OR needed GREATER limit)
      set(filled ${size})
      set(module ${this_module})
      math(EXPR number "${number} + 1")
    endif()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${number})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
