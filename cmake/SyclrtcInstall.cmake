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
