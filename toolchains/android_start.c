/* What a shared library for Android has in it besides C and C++ libraries: in an NDK the start
   files and the compiler's library. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Tells this library's destructors from others': `dlclose` runs those that were registered under
 * it. */
__attribute__((visibility("hidden"))) void* __dso_handle = &__dso_handle;

void __cxa_finalize(void*);

__attribute__((destructor)) static void finalize(void) { __cxa_finalize(&__dso_handle); }

/* Thread-local variables: the loader knows them from API 29 on, so compilers call this for every
 * access. */

/* Made by the compiler, one a variable. */
struct control {
  size_t size;
  size_t align;
  size_t index;      /* From 1 on; 0: no thread has used it. */
  const void* value; /* What it starts as; null: zeros. */
};

/* The memory of a thread's variables, by index. */
struct variables {
  size_t count;
  void* of[];
};

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static size_t used;

static void destroy(void* memory) {
  struct variables* variables = memory;
  for (size_t i = 0; i < variables->count; ++i) {
    free(variables->of[i]);
  }
  free(variables);
}

static void make_key(void) {
  if (pthread_key_create(&key, destroy) != 0) {
    abort();
  }
}

static size_t index_of(struct control* control) {
  size_t index = __atomic_load_n(&control->index, __ATOMIC_ACQUIRE);
  if (index == 0) {
    pthread_once(&once, make_key);
    pthread_mutex_lock(&mutex);
    index = control->index;
    if (index == 0) {
      index = ++used;
      __atomic_store_n(&control->index, index, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&mutex);
  }
  return index;
}

static struct variables* with_room(struct variables* variables, size_t count) {
  if (variables != NULL && variables->count >= count) {
    return variables;
  }
  const size_t old = variables != NULL ? variables->count : 0;
  variables = realloc(variables, sizeof(struct variables) + 2 * count * sizeof(void*));
  if (variables == NULL) {
    abort();
  }
  variables->count = 2 * count;
  memset(variables->of + old, 0, (2 * count - old) * sizeof(void*));
  if (pthread_setspecific(key, variables) != 0) {
    abort();
  }
  return variables;
}

__attribute__((visibility("hidden"))) void* __emutls_get_address(struct control* control) {
  const size_t index = index_of(control);
  struct variables* variables = with_room(pthread_getspecific(key), index);
  void** place = &variables->of[index - 1];
  if (*place == NULL) {
    const size_t align = control->align > sizeof(void*) ? control->align : sizeof(void*);
    if (posix_memalign(place, align, control->size) != 0) {
      abort();
    }
    if (control->value != NULL) {
      memcpy(*place, control->value, control->size);
    } else {
      memset(*place, 0, control->size);
    }
  }
  return *place;
}
