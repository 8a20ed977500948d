// Products of words of four integers of 8 bits, added up. With DOT the device does that in one instruction.

#if defined(DOT)
#extension GL_EXT_spirv_intrinsics : require
// OpSDot; 0 says that an integer is four bytes.
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6018, 6019], id = 4450)
int dot_of_words(int a, int b, spirv_literal int format);

int dot4(uint a, uint b) { return dot_of_words(int(a), int(b), 0); }
#else
int dot4(uint a, uint b) { return int(dot(four(a), four(b))); }
#endif
