/* Numbers of sysconf() are the C library's own, and bionic's are others than musl's. Those that
 * bionic's page of constants has under the same name and that a library may ask for are here; the
 * rest is taken away, so that asking for one does not compile in place of getting the answer to
 * another question. */
#pragma once

#include_next <unistd.h>

#undef _SC_CLK_TCK
#define _SC_CLK_TCK 0x0006
#undef _SC_OPEN_MAX
#define _SC_OPEN_MAX 0x000b
#undef _SC_IOV_MAX
#define _SC_IOV_MAX 0x0026
#undef _SC_PAGESIZE
#define _SC_PAGESIZE 0x0027
#undef _SC_PAGE_SIZE
#define _SC_PAGE_SIZE 0x0028
#undef _SC_NPROCESSORS_CONF
#define _SC_NPROCESSORS_CONF 0x0060
#undef _SC_NPROCESSORS_ONLN
#define _SC_NPROCESSORS_ONLN 0x0061
#undef _SC_PHYS_PAGES
#define _SC_PHYS_PAGES 0x0062
#undef _SC_AVPHYS_PAGES
#define _SC_AVPHYS_PAGES 0x0063
#undef _SC_MONOTONIC_CLOCK
#define _SC_MONOTONIC_CLOCK 0x0064

#undef _SC_ARG_MAX
#undef _SC_CHILD_MAX
#undef _SC_NGROUPS_MAX
#undef _SC_STREAM_MAX
#undef _SC_TZNAME_MAX
#undef _SC_JOB_CONTROL
#undef _SC_SAVED_IDS
#undef _SC_REALTIME_SIGNALS
#undef _SC_PRIORITY_SCHEDULING
#undef _SC_TIMERS
#undef _SC_ASYNCHRONOUS_IO
#undef _SC_PRIORITIZED_IO
#undef _SC_SYNCHRONIZED_IO
#undef _SC_FSYNC
#undef _SC_MAPPED_FILES
#undef _SC_MEMLOCK
#undef _SC_MEMLOCK_RANGE
#undef _SC_MEMORY_PROTECTION
#undef _SC_MESSAGE_PASSING
#undef _SC_SEMAPHORES
#undef _SC_SHARED_MEMORY_OBJECTS
#undef _SC_AIO_LISTIO_MAX
#undef _SC_AIO_MAX
#undef _SC_AIO_PRIO_DELTA_MAX
#undef _SC_DELAYTIMER_MAX
#undef _SC_MQ_OPEN_MAX
#undef _SC_MQ_PRIO_MAX
#undef _SC_VERSION
#undef _SC_RTSIG_MAX
#undef _SC_SEM_NSEMS_MAX
#undef _SC_SEM_VALUE_MAX
#undef _SC_SIGQUEUE_MAX
#undef _SC_TIMER_MAX
#undef _SC_BC_BASE_MAX
#undef _SC_BC_DIM_MAX
#undef _SC_BC_SCALE_MAX
#undef _SC_BC_STRING_MAX
#undef _SC_COLL_WEIGHTS_MAX
#undef _SC_EXPR_NEST_MAX
#undef _SC_LINE_MAX
#undef _SC_RE_DUP_MAX
#undef _SC_2_VERSION
#undef _SC_2_C_BIND
#undef _SC_2_C_DEV
#undef _SC_2_FORT_DEV
#undef _SC_2_FORT_RUN
#undef _SC_2_SW_DEV
#undef _SC_2_LOCALEDEF
#undef _SC_UIO_MAXIOV
#undef _SC_THREADS
#undef _SC_THREAD_SAFE_FUNCTIONS
#undef _SC_GETGR_R_SIZE_MAX
#undef _SC_GETPW_R_SIZE_MAX
#undef _SC_LOGIN_NAME_MAX
#undef _SC_TTY_NAME_MAX
#undef _SC_THREAD_DESTRUCTOR_ITERATIONS
#undef _SC_THREAD_KEYS_MAX
#undef _SC_THREAD_STACK_MIN
#undef _SC_THREAD_THREADS_MAX
#undef _SC_THREAD_ATTR_STACKADDR
#undef _SC_THREAD_ATTR_STACKSIZE
#undef _SC_THREAD_PRIORITY_SCHEDULING
#undef _SC_THREAD_PRIO_INHERIT
#undef _SC_THREAD_PRIO_PROTECT
#undef _SC_THREAD_PROCESS_SHARED
#undef _SC_ATEXIT_MAX
#undef _SC_PASS_MAX
#undef _SC_XOPEN_VERSION
#undef _SC_XOPEN_XCU_VERSION
#undef _SC_XOPEN_UNIX
#undef _SC_XOPEN_CRYPT
#undef _SC_XOPEN_ENH_I18N
#undef _SC_XOPEN_SHM
#undef _SC_2_CHAR_TERM
#undef _SC_2_UPE
#undef _SC_XOPEN_XPG2
#undef _SC_XOPEN_XPG3
#undef _SC_XOPEN_XPG4
#undef _SC_NZERO
#undef _SC_XBS5_ILP32_OFF32
#undef _SC_XBS5_ILP32_OFFBIG
#undef _SC_XBS5_LP64_OFF64
#undef _SC_XBS5_LPBIG_OFFBIG
#undef _SC_XOPEN_LEGACY
#undef _SC_XOPEN_REALTIME
#undef _SC_XOPEN_REALTIME_THREADS
#undef _SC_ADVISORY_INFO
#undef _SC_BARRIERS
#undef _SC_CLOCK_SELECTION
#undef _SC_CPUTIME
#undef _SC_THREAD_CPUTIME
#undef _SC_READER_WRITER_LOCKS
#undef _SC_SPIN_LOCKS
#undef _SC_REGEXP
#undef _SC_SHELL
#undef _SC_SPAWN
#undef _SC_SPORADIC_SERVER
#undef _SC_THREAD_SPORADIC_SERVER
#undef _SC_TIMEOUTS
#undef _SC_TYPED_MEMORY_OBJECTS
#undef _SC_2_PBS
#undef _SC_2_PBS_ACCOUNTING
#undef _SC_2_PBS_LOCATE
#undef _SC_2_PBS_MESSAGE
#undef _SC_2_PBS_TRACK
#undef _SC_SYMLOOP_MAX
#undef _SC_STREAMS
#undef _SC_2_PBS_CHECKPOINT
#undef _SC_V6_ILP32_OFF32
#undef _SC_V6_ILP32_OFFBIG
#undef _SC_V6_LP64_OFF64
#undef _SC_V6_LPBIG_OFFBIG
#undef _SC_HOST_NAME_MAX
#undef _SC_TRACE
#undef _SC_TRACE_EVENT_FILTER
#undef _SC_TRACE_INHERIT
#undef _SC_TRACE_LOG
#undef _SC_IPV6
#undef _SC_RAW_SOCKETS
#undef _SC_V7_ILP32_OFF32
#undef _SC_V7_ILP32_OFFBIG
#undef _SC_V7_LP64_OFF64
#undef _SC_V7_LPBIG_OFFBIG
#undef _SC_SS_REPL_MAX
#undef _SC_TRACE_EVENT_NAME_MAX
#undef _SC_TRACE_NAME_MAX
#undef _SC_TRACE_SYS_MAX
#undef _SC_TRACE_USER_EVENT_MAX
#undef _SC_XOPEN_STREAMS
#undef _SC_THREAD_ROBUST_PRIO_INHERIT
#undef _SC_THREAD_ROBUST_PRIO_PROTECT
#undef _SC_MINSIGSTKSZ
#undef _SC_SIGSTKSZ
