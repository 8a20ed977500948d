/* Bionic's properties of the device, as cpuinfo reads them; musl has no such header. */
#pragma once

#define PROP_NAME_MAX 32
#define PROP_VALUE_MAX 92

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the length of the value, which is written with its zero; 0 if there is no such property.
 */
int __system_property_get(const char* name, char value[PROP_VALUE_MAX]);

#ifdef __cplusplus
}
#endif
