/// @file
/// The documented C interface of Arm's Ethos-U core driver, as far as the delegate calls it. Arm's
/// library defines these functions; `testing/test_driver.h` has others of the same names.
///
/// Beside the driver's own header of this name: the declarations are the same, and C allows them
/// twice.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

/// One NPU, as the firmware made it known with `ethosu_init`.
struct ethosu_driver;

/// Waits for an NPU and takes it. Null if there is none.
struct ethosu_driver* ethosu_reserve_driver(void);

/// Gives it back.
void ethosu_release_driver(struct ethosu_driver* drv);

/// Runs a command stream and waits until it has ended.
///
/// @param drv What `ethosu_reserve_driver` returned.
/// @param custom_data_ptr The driver's payload ("COP1"), at a multiple of 16.
/// @param custom_data_size Its bytes, a multiple of 4.
/// @param base_addr Where each region of memory begins; at multiples of 16.
/// @param base_addr_size The bytes of each.
/// @param num_base_addr How many regions, 8 at most.
/// @param user_arg Handed to the firmware's hooks.
/// @return 0, or less than that if it failed.
int ethosu_invoke_v3(struct ethosu_driver* drv, const void* custom_data_ptr,
                     const int custom_data_size, uint64_t* const base_addr,
                     const size_t* base_addr_size, const int num_base_addr, void* user_arg);
}
