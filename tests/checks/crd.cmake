# Fails unless COPY is what `BALLAST crd` prints.
execute_process(COMMAND ${BALLAST} crd OUTPUT_VARIABLE printed RESULT_VARIABLE status)
file(READ ${COPY} copy)
if(NOT status EQUAL 0 OR NOT printed STREQUAL copy)
  message(FATAL_ERROR "${COPY} is outdated; renew it with: build/ballast crd > charts/ballast/files/crd.yaml")
endif()
