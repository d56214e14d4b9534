# The messages of the `.distirb` form (src/binary/distir.proto), as objects that become part of libforeflow.a.
find_package(Protobuf REQUIRED)
set(DISTIR_PROTO_DIR ${PROJECT_BINARY_DIR}/distir_proto)
set(DISTIR_SCHEMA ${PROJECT_SOURCE_DIR}/src/binary/distir.proto)
file(MAKE_DIRECTORY ${DISTIR_PROTO_DIR})
add_custom_command(
  OUTPUT ${DISTIR_PROTO_DIR}/distir.pb.cc ${DISTIR_PROTO_DIR}/distir.pb.h
  COMMAND protobuf::protoc --cpp_out=${DISTIR_PROTO_DIR} -I${PROJECT_SOURCE_DIR}/src/binary ${DISTIR_SCHEMA}
  DEPENDS ${DISTIR_SCHEMA})
add_library(foreflow_distir_proto OBJECT ${DISTIR_PROTO_DIR}/distir.pb.cc)
set_target_properties(foreflow_distir_proto PROPERTIES CXX_CLANG_TIDY "")
target_link_libraries(foreflow_distir_proto PRIVATE protobuf::libprotobuf-lite)
