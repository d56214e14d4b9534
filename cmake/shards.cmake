# foreflow_shards(PROGRAM SHARDS LABEL): ctest starts the GoogleTest program SHARDS times, each with its share of the tests,
# because starting a process costs more than most tests. Each part writes what it ran to test_results/, which tests/summary
# adds up.
function(foreflow_shards name shards label)
  math(EXPR last "${shards} - 1")
  foreach(shard RANGE ${last})
    add_test(NAME ${name}.${shard} COMMAND ${name})
    set(results ${PROJECT_BINARY_DIR}/test_results/${name}.${shard}.xml)
    set_tests_properties(${name}.${shard} PROPERTIES TIMEOUT 1800 LABELS ${label} ENVIRONMENT
      "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${shard};GTEST_OUTPUT=xml:${results};GTEST_BRIEF=1")
  endforeach()
endfunction()
