# The ONNX reader's messages, generated from the schema that Debian's libonnx-dev installs, in a package of our own so
# that they never clash with libonnx's classes in one process.
find_package(Protobuf REQUIRED)
find_file(ONNX_SCHEMA onnx/onnx.proto PATHS /usr/include REQUIRED)
set(ONNX_PROTO_DIR ${PROJECT_BINARY_DIR}/onnx_proto)
file(MAKE_DIRECTORY ${ONNX_PROTO_DIR})
file(READ ${ONNX_SCHEMA} ONNX_SCHEMA_TEXT)
string(REPLACE "package onnx;" "package foreflow.onnx_proto;" ONNX_SCHEMA_TEXT "${ONNX_SCHEMA_TEXT}")
# Defaults of the attributes of functions came with ONNX 1.13.
if(NOT ONNX_SCHEMA_TEXT MATCHES "attribute_proto")
  string(REPLACE "repeated string attribute = 6;" "repeated string attribute = 6;\n  repeated AttributeProto attribute_proto = 11;"
         ONNX_SCHEMA_TEXT "${ONNX_SCHEMA_TEXT}")
endif()
# Functions of one name, told apart by their overload, came with ONNX 1.16.
if(NOT ONNX_SCHEMA_TEXT MATCHES "string overload")
  string(REPLACE "optional string op_type = 4;" "optional string op_type = 4;\n  optional string overload = 8;"
         ONNX_SCHEMA_TEXT "${ONNX_SCHEMA_TEXT}")
  string(REPLACE "repeated string attribute = 6;" "repeated string attribute = 6;\n  optional string overload = 13;"
         ONNX_SCHEMA_TEXT "${ONNX_SCHEMA_TEXT}")
endif()
file(CONFIGURE OUTPUT ${ONNX_PROTO_DIR}/foreflow_onnx.proto CONTENT "${ONNX_SCHEMA_TEXT}" @ONLY)
add_custom_command(
  OUTPUT ${ONNX_PROTO_DIR}/foreflow_onnx.pb.cc ${ONNX_PROTO_DIR}/foreflow_onnx.pb.h
  COMMAND protobuf::protoc --cpp_out=${ONNX_PROTO_DIR} -I${ONNX_PROTO_DIR} ${ONNX_PROTO_DIR}/foreflow_onnx.proto
  DEPENDS ${ONNX_PROTO_DIR}/foreflow_onnx.proto)
# Objects, which become part of libforeflow.a: one library to install. Generated code is not linted.
add_library(foreflow_onnx_proto OBJECT ${ONNX_PROTO_DIR}/foreflow_onnx.pb.cc)
set_target_properties(foreflow_onnx_proto PROPERTIES CXX_CLANG_TIDY "")
target_link_libraries(foreflow_onnx_proto PRIVATE protobuf::libprotobuf-lite)
