# As arm-baremetal: what Zephyr links is freestanding.
include("${CMAKE_CURRENT_LIST_DIR}/arm-baremetal.cmake")
