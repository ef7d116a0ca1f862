# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Defines the target syclrtc_cargo, which runs cargo, and the targets syclrtc::syclrtc and syclrtc::cpp over its result.
# Sets syclrtc_cargo_output: the folder with cargo's products (a generator expression).

find_program(SYCLRTC_CARGO cargo HINTS "$ENV{CARGO_HOME}/bin" "$ENV{HOME}/.cargo/bin" DOC "The cargo that builds syclrtc" REQUIRED)

# Debug is cargo's dev profile; every other build type is optimised.
set(syclrtc_cargo_profile "$<IF:$<CONFIG:Debug>,dev,release>")
set(syclrtc_cargo_output "${SYCLRTC_CARGO_TARGET_DIR}/$<IF:$<CONFIG:Debug>,debug,release>")

# The library under the names of an installed one: programs look for it by its SONAME, and it looks for the compiler
# program relative to itself. Links into cargo's folder are enough for programs that run from the build tree.
set(syclrtc_stage "${CMAKE_CURRENT_BINARY_DIR}/stage/$<IF:$<CONFIG:Debug>,debug,release>/lib")
set(syclrtc_soname "libsyclrtc.so.${PROJECT_VERSION_MAJOR}")

set(syclrtc_all "")
if(syclrtc_top_level OR SYCLRTC_INSTALL)
  set(syclrtc_all ALL)
endif()

# cargo knows best what is out of date, so it is asked on each build. A build target from the environment would move
# its products to another folder.
add_custom_target(syclrtc_cargo ${syclrtc_all}
  COMMAND "${CMAKE_COMMAND}" -E env --unset=CARGO_BUILD_TARGET
          "${SYCLRTC_CARGO}" build --locked --profile "${syclrtc_cargo_profile}"
          --package syclrtc --package syclrtc-compiler
          --manifest-path "${CMAKE_CURRENT_SOURCE_DIR}/Cargo.toml" --target-dir "${SYCLRTC_CARGO_TARGET_DIR}"
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${syclrtc_stage}/syclrtc"
  COMMAND "${CMAKE_COMMAND}" -E create_symlink "${syclrtc_cargo_output}/libsyclrtc.so" "${syclrtc_stage}/${syclrtc_soname}"
  COMMAND "${CMAKE_COMMAND}" -E create_symlink "${syclrtc_soname}" "${syclrtc_stage}/libsyclrtc.so"
  COMMAND "${CMAKE_COMMAND}" -E create_symlink "${syclrtc_cargo_output}/syclrtc-compiler" "${syclrtc_stage}/syclrtc/syclrtc-compiler"
  BYPRODUCTS "${syclrtc_cargo_output}/libsyclrtc.so" "${syclrtc_stage}/libsyclrtc.so" "${syclrtc_stage}/${syclrtc_soname}"
  WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
  COMMENT "cargo build (syclrtc, syclrtc-compiler)"
  USES_TERMINAL
  VERBATIM)

add_library(syclrtc_shared SHARED IMPORTED GLOBAL)
add_dependencies(syclrtc_shared syclrtc_cargo)
set_target_properties(syclrtc_shared PROPERTIES
  IMPORTED_LOCATION "${CMAKE_CURRENT_BINARY_DIR}/stage/release/lib/${syclrtc_soname}"
  IMPORTED_LOCATION_DEBUG "${CMAKE_CURRENT_BINARY_DIR}/stage/debug/lib/${syclrtc_soname}"
  IMPORTED_SONAME "${syclrtc_soname}")

# Headers of an imported target count as the system's, whose warnings compilers keep to themselves; our own tests must see
# them. Hence a target of our own around the imported one.
add_library(syclrtc_c INTERFACE)
target_include_directories(syclrtc_c INTERFACE "${CMAKE_CURRENT_SOURCE_DIR}/include")
target_link_libraries(syclrtc_c INTERFACE syclrtc_shared)
target_compile_features(syclrtc_c INTERFACE cxx_std_17)
add_library(syclrtc::syclrtc ALIAS syclrtc_c)

add_library(syclrtc_cpp INTERFACE)
target_link_libraries(syclrtc_cpp INTERFACE syclrtc_c)
add_library(syclrtc::cpp ALIAS syclrtc_cpp)
