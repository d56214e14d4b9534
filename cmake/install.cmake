# What `cmake --install` copies, in two components: `command` with its data, and `development` with the library, its
# headers and the package that find_package(foreflow) finds, which defines foreflow::foreflow.
include(CMakePackageConfigHelpers)
set(FOREFLOW_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/foreflow)

# The data of the command.
install(DIRECTORY platforms workloads calibration scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/foreflow
        COMPONENT command)
install(DIRECTORY tests/published DESTINATION ${CMAKE_INSTALL_DATADIR}/foreflow/tests COMPONENT command
        FILES_MATCHING PATTERN "*.csv")
install(DIRECTORY tests/data/iterations tests/data/layers DESTINATION ${CMAKE_INSTALL_DATADIR}/foreflow/tests/data
        COMPONENT command)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT command)

# The library.
install(TARGETS foreflow EXPORT foreflowTargets COMPONENT development)
install(EXPORT foreflowTargets NAMESPACE foreflow:: DESTINATION ${FOREFLOW_PACKAGE_DIR} COMPONENT development)
install(DIRECTORY include/foreflow DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libforeflow-dev COMPONENT development)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libforeflow-dev RENAME copyright COMPONENT development)

configure_package_config_file(cmake/foreflowConfig.cmake.in ${PROJECT_BINARY_DIR}/foreflowConfig.cmake
                              INSTALL_DESTINATION ${FOREFLOW_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/foreflowConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/foreflowConfig.cmake ${PROJECT_BINARY_DIR}/foreflowConfigVersion.cmake
        DESTINATION ${FOREFLOW_PACKAGE_DIR} COMPONENT development)

# foreflow(1), from the command's own help, when it is installed.
if(TARGET foreflow_cli)
  install(CODE "execute_process(COMMAND ${CMAKE_COMMAND} -D COMMAND=$<TARGET_FILE:foreflow_cli>
    -D PAGE=${PROJECT_BINARY_DIR}/foreflow.1 -P ${PROJECT_SOURCE_DIR}/cmake/man_page.cmake COMMAND_ERROR_IS_FATAL ANY)"
          COMPONENT command)
  install(FILES ${PROJECT_BINARY_DIR}/foreflow.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
endif()

# Completion for shells, as the command itself writes it.
if(TARGET foreflow_cli)
  set(FOREFLOW_COMPLETION_DIR ${PROJECT_BINARY_DIR}/completion)
  file(MAKE_DIRECTORY ${FOREFLOW_COMPLETION_DIR})
  foreach(row "bash=foreflow=bash-completion/completions" "zsh=_foreflow=zsh/site-functions"
              "fish=foreflow.fish=fish/vendor_completions.d")
    string(REPLACE "=" ";" row ${row})
    list(GET row 0 shell)
    list(GET row 1 file)
    list(GET row 2 folder)
    install(CODE "execute_process(COMMAND $<TARGET_FILE:foreflow_cli> completion ${shell}
      OUTPUT_FILE ${FOREFLOW_COMPLETION_DIR}/${file} COMMAND_ERROR_IS_FATAL ANY)" COMPONENT command)
    install(FILES ${FOREFLOW_COMPLETION_DIR}/${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} COMPONENT command)
  endforeach()
endif()
