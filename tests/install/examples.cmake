# cmake -D BUILD_DIR=... -D GENERATOR=... -D COMPILER=... -D FLAGS=... -P examples.cmake
# Installs to a fresh folder, builds the installed examples against the installed library, and runs them: each prints what
# their README says.
set(WORK ${BUILD_DIR}/install_test)
set(EXAMPLES ${WORK}/prefix/share/doc/libforeflow-dev/examples)
file(REMOVE_RECURSE ${WORK})

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE output)
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK}/prefix)
foreach(folder platforms workloads calibration scenarios)
  if(NOT EXISTS ${WORK}/prefix/share/foreflow/${folder}/README.md)
    message(FATAL_ERROR "share/foreflow/${folder} was not installed")
  endif()
endforeach()

run(${CMAKE_COMMAND} -S ${EXAMPLES} -B ${WORK}/build -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${COMPILER}
    -D "CMAKE_CXX_FLAGS=${FLAGS}" -D CMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/build)

file(READ ${EXAMPLES}/README.md readme)
file(GLOB sources ${EXAMPLES}/*.cpp)
list(LENGTH sources count)
if(count LESS 5)
  message(FATAL_ERROR "only ${count} examples were installed")
endif()
foreach(source ${sources})
  cmake_path(GET source STEM name)
  set(arguments "")
  if(name STREQUAL predict)
    set(arguments ${WORK}/prefix/share/foreflow/scenarios/gpt2_xl_dgx2.json)
  endif()
  run(${WORK}/build/${name} ${arguments})
  string(FIND "${readme}" "\n${output}```\n" at)
  if(output STREQUAL "" OR at EQUAL -1)
    message(FATAL_ERROR "${name} printed what examples/README.md does not say:\n${output}")
  endif()
endforeach()
