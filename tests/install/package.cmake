# cmake -D BUILD_DIR=... -D SOURCE_DIR=... -P package.cmake
# Builds the Debian packages, looks at what they say of themselves, installs them into a folder and runs the command from
# there: the answer is right, and nothing of the source tree or the build folder is looked at.
set(WORK ${BUILD_DIR}/package_test)
file(REMOVE_RECURSE ${WORK})
foreach(program cpack dpkg dpkg-deb dpkg-shlibdeps file)
  find_program(path_of_${program} ${program})
  if(NOT path_of_${program})
    message("skipped: there is no ${program} here (Debian: cmake, dpkg, dpkg-dev, file)")
    return()
  endif()
endforeach()

function(run)
  execute_process(COMMAND ${ARGV} WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE output)
  set(output "${output}" PARENT_SCOPE)
endfunction()

# expect(WHAT TEXT REGEX...)
function(expect what text)
  foreach(regex ${ARGN})
    if(NOT "${text}" MATCHES "${regex}")
      message(FATAL_ERROR "${what}: there is no ${regex} in\n${text}")
    endif()
  endforeach()
endfunction()

file(MAKE_DIRECTORY ${WORK})
run(cpack -G DEB --config ${BUILD_DIR}/CPackConfig.cmake -B ${WORK}/packages)
foreach(package foreflow libforeflow-dev)
  file(GLOB files ${WORK}/packages/${package}_*.deb)
  list(LENGTH files count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "${count} packages ${package} in ${WORK}/packages")
  endif()
  run(dpkg-deb --info ${files})
  set(info_of_${package} "${output}")
  list(APPEND packages ${files})
endforeach()
# The folder is a system of its own whose packages are those of this machine, so dependencies that are not met are errors.
set(DATABASE ${WORK}/root/var/lib/dpkg)
file(MAKE_DIRECTORY ${DATABASE}/info ${DATABASE}/updates ${DATABASE}/triggers)
file(COPY /var/lib/dpkg/status DESTINATION ${DATABASE})
set(ENV{PATH} "$ENV{PATH}:/usr/sbin:/sbin")
run(dpkg --root=${WORK}/root --force-not-root --force-script-chrootless --log=${WORK}/dpkg.log --install ${packages})
run(dpkg-query --admindir=${DATABASE} -W -f "\${Package} \${db:Status-Status}\n" foreflow libforeflow-dev)
expect("dpkg-query" "${output}" "^foreflow installed\nlibforeflow-dev installed\n$")
expect(foreflow "${info_of_foreflow}" " Package: foreflow\n" " Version: [0-9]+[.][0-9]+[.][0-9]+\n" " Section: science\n"
       " Maintainer: [^\n]*@" " Architecture: [a-z0-9]+\n" " Depends: [^\n]*libc6 " " Depends: [^\n]*libsimgrid"
       " Recommends: openmpi-bin\n" " Description: predict how")
expect(libforeflow-dev "${info_of_libforeflow-dev}" " Package: libforeflow-dev\n" " Section: libdevel\n"
       " Depends: [^\n]*libsimgrid-dev")

foreach(file bin/foreflow share/man/man1/foreflow.1 share/doc/foreflow/copyright lib/libforeflow.a
        lib/cmake/foreflow/foreflowConfig.cmake include/foreflow/scenario/run.h)
  if(NOT EXISTS ${WORK}/root/usr/${file})
    message(FATAL_ERROR "no package has /usr/${file}")
  endif()
endforeach()

# Nothing is left to find but what was installed, wherever it lies.
file(RENAME ${WORK}/root/usr ${WORK}/moved)
set(FOREFLOW ${WORK}/moved/bin/foreflow)
run(${FOREFLOW} simulate ${WORK}/moved/share/foreflow/scenarios/gpt2_xl_dgx2.json)
expect("foreflow simulate" "${output}" "iteration   1[.]352 s")
run(${FOREFLOW} reproduce distir_figure10 --jobs 1)
expect("foreflow reproduce" "${output}" "mean error")
run(${FOREFLOW} reproduce korthikanti_layers --jobs 1)
expect("foreflow reproduce of measured layers" "${output}" "mean error")
file(REMOVE ${WORK}/moved/share/foreflow/scenarios/reproductions/distir_figure10.json)
execute_process(COMMAND ${FOREFLOW} reproduce distir_figure10 ERROR_VARIABLE error RESULT_VARIABLE exit)
expect("foreflow reproduce without its scenario" "${exit} ${error}" "^1 foreflow: error: ${WORK}/moved/share/foreflow")
file(STRINGS ${FOREFLOW} paths REGEX "^${SOURCE_DIR}/?$")
if(paths)
  message(FATAL_ERROR "the command knows the folder that it was built from")
endif()

# The processes of `execute` are started from libexec.
find_program(MPIRUN mpirun)
if(MPIRUN AND EXISTS ${WORK}/moved/libexec/foreflow/foreflow-rank)
  file(WRITE ${WORK}/p.distir "func @main(%x: Tensor[Float32, (4,), 1]) {\n  %y = Add(%x, %x)\n  return %y\n}\n")
  run(${FOREFLOW} execute p.distir --ranks mpi)
endif()
