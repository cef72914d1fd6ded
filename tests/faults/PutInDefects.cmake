# Copies SOURCES from ROOT into the folder TO, and puts PATCHES in. One that no longer applies is an error:
# write it anew for what has changed.
#
#   cmake -DROOT=... -DTO=... -DSOURCES=a.cc;b.cc -DPATCHES=... -P PutInDefects.cmake

file(REMOVE_RECURSE ${TO}.new)
foreach(source IN LISTS SOURCES)
  cmake_path(GET source PARENT_PATH folder)
  file(COPY ${ROOT}/${source} DESTINATION ${TO}.new/${folder})
endforeach()
cmake_path(GET TO PARENT_PATH above)  # else git looks for the copies in the checkout
foreach(patch IN LISTS PATCHES)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env GIT_CEILING_DIRECTORIES=${above} git apply ${patch}
    WORKING_DIRECTORY ${TO}.new
    RESULT_VARIABLE failed
    OUTPUT_VARIABLE said
    ERROR_VARIABLE said)
  if(failed)
    message(FATAL_ERROR "${patch} no longer applies:\n${said}")
  endif()
endforeach()
foreach(source IN LISTS SOURCES)
  cmake_path(GET source PARENT_PATH folder)
  file(MAKE_DIRECTORY ${TO}/${folder})
  file(COPY_FILE ${TO}.new/${source} ${TO}/${source} ONLY_IF_DIFFERENT)  # else it is compiled again
endforeach()
