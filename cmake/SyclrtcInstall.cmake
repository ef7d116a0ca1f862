# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The installed tree. Nothing in it holds an absolute path, so it may be moved as a whole.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(syclrtc_library_file "libsyclrtc.so.${PROJECT_VERSION}")
set(syclrtc_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/syclrtc")
set(syclrtc_pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

# --- run time ---
install(PROGRAMS "${syclrtc_cargo_output}/libsyclrtc.so" DESTINATION "${CMAKE_INSTALL_LIBDIR}" RENAME "${syclrtc_library_file}"
  COMPONENT runtime)
# Where the library looks for it: syclrtc/ beside itself.
install(PROGRAMS "${syclrtc_cargo_output}/syclrtc-compiler" DESTINATION "${CMAKE_INSTALL_LIBDIR}/syclrtc" COMPONENT runtime)

# The compiler program contains clang and LLVM, which are under the same licence.
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/syclrtc" COMPONENT runtime)
# install(PROGRAMS) knows no stripping. The compiler program carries all of clang, whose symbols alone are tens of megabytes.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(syclrtc_strip_dir "${CMAKE_INSTALL_LIBDIR}")
else()
  set(syclrtc_strip_dir "\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}")
endif()
install(CODE "
  if(CMAKE_INSTALL_CONFIG_NAME MATCHES \"^(Release|MinSizeRel)$\" OR CMAKE_INSTALL_DO_STRIP)
    foreach(file \"${syclrtc_library_file}\" syclrtc/syclrtc-compiler)
      execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-unneeded \"\$ENV{DESTDIR}${syclrtc_strip_dir}/\${file}\"
        COMMAND_ERROR_IS_FATAL ANY)
    endforeach()
  endif()
" COMPONENT runtime)

# The SYCL headers, precompiled for this build of the program (so after it was stripped) and this machine's C++ headers. Without,
# the program makes the file itself, in the cache of each user; so a failure is no error.
install(CODE "
  set(syclrtc_program_dir \"${syclrtc_strip_dir}/syclrtc\")
  file(GLOB syclrtc_old_preambles \"\$ENV{DESTDIR}\${syclrtc_program_dir}/*.preamble\")
  if(syclrtc_old_preambles)
    file(REMOVE \${syclrtc_old_preambles})
  endif()
  set(syclrtc_preamble_error \"this is a cross build\")
  set(syclrtc_preamble_failed 1)
  if(NOT \"${CMAKE_CROSSCOMPILING}\")
    execute_process(
      COMMAND \"\${CMAKE_COMMAND}\" -E env --unset=CPATH --unset=CPLUS_INCLUDE_PATH
              \"\$ENV{DESTDIR}\${syclrtc_program_dir}/syclrtc-compiler\" --precompile \"\$ENV{DESTDIR}\${syclrtc_program_dir}\"
      RESULT_VARIABLE syclrtc_preamble_failed OUTPUT_VARIABLE syclrtc_preamble ERROR_VARIABLE syclrtc_preamble_error
      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_STRIP_TRAILING_WHITESPACE)
  endif()
  if(syclrtc_preamble_failed)
    message(STATUS \"The SYCL headers are not precompiled: \${syclrtc_preamble_error}\")
  else()
    message(STATUS \"Installing: \${syclrtc_preamble}\")
    get_filename_component(syclrtc_preamble \"\${syclrtc_preamble}\" NAME)
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${syclrtc_program_dir}/\${syclrtc_preamble}\")
  endif()
" COMPONENT runtime)

# A link is installed as the link that it is, so these point at their neighbour in the installed tree.
file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/links")
file(CREATE_LINK "${syclrtc_library_file}" "${CMAKE_CURRENT_BINARY_DIR}/links/${syclrtc_soname}" SYMBOLIC)
file(CREATE_LINK "${syclrtc_soname}" "${CMAKE_CURRENT_BINARY_DIR}/links/libsyclrtc.so" SYMBOLIC)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/links/${syclrtc_soname}" DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime)

# --- development ---
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/links/libsyclrtc.so" DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)

configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/syclrtc-config.cmake.in" "${CMAKE_CURRENT_BINARY_DIR}/syclrtc-config.cmake"
  INSTALL_DESTINATION "${syclrtc_package_dir}"
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# As the SONAME says: one major version, one ABI.
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/syclrtc-config-version.cmake" COMPATIBILITY SameMajorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/syclrtc-config.cmake" "${CMAKE_CURRENT_BINARY_DIR}/syclrtc-config-version.cmake"
  DESTINATION "${syclrtc_package_dir}" COMPONENT development)

# The way from the .pc file up to the prefix, which depends on how deep the library folder is. An absolute library
# folder (set by hand) cannot be moved, and is written as it is.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(syclrtc_pc_prefix "${CMAKE_INSTALL_PREFIX}")
  set(syclrtc_pc_libdir "${CMAKE_INSTALL_LIBDIR}")
else()
  file(RELATIVE_PATH syclrtc_pc_up "/${syclrtc_pkgconfig_dir}" "/")
  string(REGEX REPLACE "/$" "" syclrtc_pc_up "${syclrtc_pc_up}")
  set(syclrtc_pc_prefix "\${pcfiledir}/${syclrtc_pc_up}")
  set(syclrtc_pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(syclrtc_pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
else()
  set(syclrtc_pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file("${CMAKE_CURRENT_LIST_DIR}/syclrtc.pc.in" "${CMAKE_CURRENT_BINARY_DIR}/syclrtc.pc" @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/syclrtc.pc" DESTINATION "${syclrtc_pkgconfig_dir}" COMPONENT development)
