# cmake -D BUILD_DIR=... -D GENERATOR=... -D COMPILER=... -D FLAGS=... -P run.cmake
set(WORK ${BUILD_DIR}/install_test)
file(REMOVE_RECURSE ${WORK})

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE output)
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${COMPILER}
    -D "CMAKE_CXX_FLAGS=${FLAGS}" -D CMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)
if(NOT output STREQUAL "2.147 GB in 85.9 ms\n")
  message(FATAL_ERROR "the installed library printed: ${output}")
endif()
foreach(folder platforms workloads calibration scenarios)
  if(NOT EXISTS ${WORK}/prefix/share/foreflow/${folder}/README.md)
    message(FATAL_ERROR "share/foreflow/${folder} was not installed")
  endif()
endforeach()
