// What every shader begins with: the element type of the variant, the parameters, and the place of an invocation.
// Arithmetic is in 32 bits whatever is stored.

#extension GL_EXT_control_flow_attributes : require

#if defined(VARIANT_HALF)
#extension GL_EXT_shader_16bit_storage : require
#define T float16_t
#define T4 f16vec4
#define C float
#define C4 vec4
#elif defined(VARIANT_INT)
#define T int
#define T4 ivec4
#define C int
#define C4 ivec4
#else
#define T float
#define T4 vec4
#define C float
#define C4 vec4
#endif

layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;

layout(push_constant) uniform Parameters {
  int p[32];
};

float pf(int i) { return intBitsToFloat(p[i]); }

C scalar_at(int i) {
#if defined(VARIANT_INT)
  return p[i];
#else
  return pf(i);
#endif
}

// The number of an invocation where groups beyond the limit of one dimension go on in the second.
int invocation() {
  return int(gl_GlobalInvocationID.x + gl_GlobalInvocationID.y * gl_NumWorkGroups.x * gl_WorkGroupSize.x);
}

// Results are storage buffers. What is read is as well, or with TEXELS a texel buffer, which goes through a cache that is made for it
// where there is one, and is converted by the hardware; the number of the format is for compile_shaders.py.
#define BUFFER_OUT(n, type, name) layout(std430, binding = n) writeonly buffer Buffer##n { type name[]; }

#if defined(TEXELS)
#define SAMPLER_float samplerBuffer
#define SAMPLER_float16_t samplerBuffer
#define SAMPLER_int isamplerBuffer
#define SAMPLER_uint usamplerBuffer
#define SAMPLER_vec4 samplerBuffer
#define SAMPLER_uvec4 usamplerBuffer
#define SAMPLER_f16vec4 samplerBuffer
#define FORMAT_float 102
#define FORMAT_float16_t 104
#define FORMAT_int 105
#define FORMAT_uint 117
#define FORMAT_uvec4 85
#define FORMAT_vec4 70
#define FORMAT_f16vec4 72
#define TEXEL_BUFFER(n, type, name)             \
  layout(binding = n) uniform SAMPLER_##type name; \
  const int format_##n = FORMAT_##type
#define BUFFER_IN(n, type, name) TEXEL_BUFFER(n, type, name)
#define READ(name, i) texelFetch(name, i).x
#define READ4(name, i) texelFetch(name, i)
#define COPY(name, i) T(READ(name, i))
#else
#define BUFFER_IN(n, type, name) layout(std430, binding = n) readonly buffer Buffer##n { type name[]; }
#define READ(name, i) name[i]
#define READ4(name, i) name[i]
#define COPY(name, i) name[i]
#endif

#define kInfinity uintBitsToFloat(0x7f800000u)
// Not a number.
#define kNone uintBitsToFloat(0x7fc00000u)
