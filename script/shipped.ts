/** What the image and the unit of systemd start a process with, for whatever is measured as it is shipped. */

/** In front of the program. */
export const SHIPPED_ARGS = ['--max-semi-space-size=16'];

/** The allocator of the C library keeps what was freed for each thread that asked; two heaps are enough for ours. */
export const SHIPPED_ENV = { MALLOC_ARENA_MAX: '2' };

/** The same for a process whose arguments somebody else writes. */
export const AS_SHIPPED = { ...SHIPPED_ENV, NODE_OPTIONS: SHIPPED_ARGS.join(' ') };
