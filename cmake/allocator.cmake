# Programs are millions of small values, made and dropped by pass after pass: tcmalloc takes a fifth of the time away that
# the C library's allocator costs. It is linked into commands and tests, never into the library; sanitizers have their
# own.
pkg_check_modules(TCMALLOC IMPORTED_TARGET libtcmalloc_minimal)
if(NOT TCMALLOC_FOUND)
  message(STATUS "tcmalloc is absent: foreflow will be slower (Debian: libgoogle-perftools-dev)")
endif()

function(foreflow_link_allocator target)
  if(TCMALLOC_FOUND AND NOT FOREFLOW_SANITIZERS)
    target_link_options(${target} PRIVATE -Wl,--no-as-needed)  # nothing calls it by name
    target_link_libraries(${target} PRIVATE PkgConfig::TCMALLOC)
  endif()
endfunction()
