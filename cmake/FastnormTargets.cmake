# SPDX-License-Identifier: Apache-2.0
# How every target of this project is compiled.

set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# fastnorm_set_up_target(<target>): language level, hidden symbols, warnings, sanitizers.
function(fastnorm_set_up_target target)
  set_target_properties(${target} PROPERTIES
    CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON CUDA_VISIBILITY_PRESET hidden)
  target_compile_features(${target} PRIVATE cxx_std_17)
  # nvcc's generated host code fails -Wpedantic, so CUDA sources get the rest.
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wconversion>
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
  if(FASTNORM_WERROR)
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-Werror>
      $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings;-Xcompiler=-Werror>)
  endif()
  if(FASTNORM_SANITIZE)
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${FASTNORM_SANITIZE};-fno-sanitize-recover=all;-fno-omit-frame-pointer>)
    target_link_options(${target} PUBLIC -fsanitize=${FASTNORM_SANITIZE})
  endif()
endfunction()

# fastnorm_add_backend(<name> SOURCES <files> [LIBRARIES <targets>] [DEPENDENCIES <packages>])
#
# One call in the back end's folder is all that the build needs to know of it. The folder defines
# `std::vector<const fastnorm::Backend*> fastnorm::<name>::make_backends()`; the registry that calls it
# is generated from the names. DEPENDENCIES are the find_dependency() lines of a static install.
function(fastnorm_add_backend name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES;DEPENDENCIES" ${ARGN})
  set(target fastnorm_backend_${name})
  add_library(${target} OBJECT ${arg_SOURCES})
  fastnorm_set_up_target(${target})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES})
  set_property(GLOBAL APPEND PROPERTY FASTNORM_BACKENDS ${name})
  set_property(GLOBAL APPEND PROPERTY FASTNORM_BACKEND_LIBRARIES ${arg_LIBRARIES})
  set_property(GLOBAL APPEND PROPERTY FASTNORM_DEPENDENCIES ${arg_DEPENDENCIES})
endfunction()
