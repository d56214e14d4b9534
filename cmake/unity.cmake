# Unity builds: the .cpp files of a module are compiled in batches, each one translation unit, because most of the time
# that a small file takes goes into headers and templates that its neighbours need too. File-local names are therefore
# unique within a module. FOREFLOW_UNITY=OFF compiles every file alone, as clang-tidy and language servers want it.
# Precompiled headers would save about as much as they cost (bench/README.md).
option(FOREFLOW_UNITY "Compile the sources of a folder together, in batches" ON)

# Bytes of sources in a batch. Larger ones make the whole build cheaper (bench/README.md), smaller ones what follows a
# change: ops are what people add, so theirs are small.
set(FOREFLOW_BATCH 330000)
set(FOREFLOW_BATCH_OF_src_ops 160000)
# Modules that are too small to fill a batch share them, so file-local names are unique among all of these.
set(FOREFLOW_SMALL_MODULES src_analyze src_base src_binary src_collective src_cost src_execute src_interpret src_ir
    src_reproduce src_reshard src_schedule src_store src_stream src_sweep src_workload)

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

# foreflow_module_of(RESULT FOLDER): the module that FOLDER belongs to, as the name of its batches: a folder of src or of
# tests, whatever folders are in it (src/ops/shape and tests/unit/ir belong to src_ops and tests_unit); `src_small` if the
# module shares batches.
function(foreflow_module_of result folder)
  file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${folder})
  string(REGEX MATCH "^[a-z]+/[a-z]+" name ${path})
  string(REPLACE "/" "_" name "${name}")
  if(name IN_LIST FOREFLOW_SMALL_MODULES)
    set(name src_small)
  endif()
  set(${result} ${name} PARENT_SCOPE)
endfunction()

# foreflow_unity(TARGET SOURCE...): batches in the order of the paths, never of two modules unless both are small. A folder
# that does not fit into what is left of a batch begins the next one. Batches are numbered in their module, so that a new
# file changes the batches of no other module. Files with compile options of their own stay alone, as does what
# SKIP_UNITY_BUILD_INCLUSION names.
function(foreflow_unity target)
  if(NOT FOREFLOW_UNITY)
    return()
  endif()
  set(folder "")
  set(sources ${ARGN})
  list(SORT sources)
  foreach(source IN LISTS sources)
    get_filename_component(this ${source} DIRECTORY)
    foreflow_module_of(module ${this})
    if(NOT DEFINED filled_${module})
      set(filled_${module} 0)
      set(number_${module} 1)
    endif()
    file(SIZE ${source} size)
    set(needed ${size})
    if(NOT this STREQUAL folder)
      foreflow_size_of(needed ${this} ${sources})
      set(folder ${this})
    endif()
    set(limit ${FOREFLOW_BATCH})
    if(DEFINED FOREFLOW_BATCH_OF_${module})
      set(limit ${FOREFLOW_BATCH_OF_${module}})
    endif()
    math(EXPR needed "${filled_${module}} + ${needed}")
    if(filled_${module} GREATER 0 AND needed GREATER limit)
      set(filled_${module} 0)
      math(EXPR number_${module} "${number_${module}} + 1")
    endif()
    math(EXPR filled_${module} "${filled_${module}} + ${size}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${module}_${number_${module}})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
