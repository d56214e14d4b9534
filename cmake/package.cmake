# Debian packages: `cpack -G DEB` in a build folder writes foreflow (the command and its data) and libforeflow-dev (the
# static library, its headers and the examples). Needs dpkg-dev and file, which find out the libraries that the command
# depends on.
set(FOREFLOW_MAINTAINER "Foreflow maintainers <maintainers@foreflow.invalid>" CACHE STRING "Maintainer of the packages")

set(CPACK_PACKAGE_NAME foreflow)
set(CPACK_PACKAGE_VENDOR Foreflow)
set(CPACK_PACKAGE_CONTACT ${FOREFLOW_MAINTAINER})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "predict how distributed deep learning runs on a cluster")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL command development)
set(CPACK_COMPONENTS_GROUPING IGNORE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME foreflow)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS openmpi-bin)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "libforeflow-dev, python3-torch")
set(CPACK_DEBIAN_COMMAND_DESCRIPTION
    "Foreflow predicts how long one iteration of a model takes under a distribution
strategy, what every device does, how much memory it needs and which link is the
bottleneck; it searches for the fastest strategy. Messages are simulated by SimGrid.")

# What cmake/foreflowConfig.cmake.in finds: a static library is linked together with what it uses.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libforeflow-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libfmt-dev, libprotobuf-dev, protobuf-compiler, libpugixml-dev, libsimgrid-dev, libsqlite3-dev, pkg-config, zlib1g-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS foreflow)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
    "The static C++20 library behind the command foreflow, its headers, the package that
find_package(foreflow) finds, and example programs.")

include(CPack)
