# What `cmake --install` copies, and the package that find_package(foreflow) finds: it defines foreflow::foreflow.
include(CMakePackageConfigHelpers)
set(FOREFLOW_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/foreflow)

install(TARGETS foreflow EXPORT foreflowTargets)
install(EXPORT foreflowTargets NAMESPACE foreflow:: DESTINATION ${FOREFLOW_PACKAGE_DIR})
install(DIRECTORY include/foreflow DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY platforms workloads calibration scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/foreflow)
install(DIRECTORY tests/published DESTINATION ${CMAKE_INSTALL_DATADIR}/foreflow/tests FILES_MATCHING PATTERN "*.csv")

configure_package_config_file(cmake/foreflowConfig.cmake.in ${PROJECT_BINARY_DIR}/foreflowConfig.cmake
                              INSTALL_DESTINATION ${FOREFLOW_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/foreflowConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/foreflowConfig.cmake ${PROJECT_BINARY_DIR}/foreflowConfigVersion.cmake
        DESTINATION ${FOREFLOW_PACKAGE_DIR})
