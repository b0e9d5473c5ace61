/** The arguments and environment of a shipped process (image, systemd unit), for measurements. */

/** Before the program. */
export const SHIPPED_ARGS = ['--max-semi-space-size=16'];

/** The C library's allocator retains freed memory per thread; two heaps are enough for ours. */
export const SHIPPED_ENV = { MALLOC_ARENA_MAX: '2' };

/** For a process whose arguments are set elsewhere. */
export const AS_SHIPPED = { ...SHIPPED_ENV, NODE_OPTIONS: SHIPPED_ARGS.join(' ') };
