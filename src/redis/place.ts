/** The message for an undefined address of Redis, mostly an unset environment variable. */
export const NO_REDIS =
  'redis is not given: it is the address of the Redis that relais uses, as redis://127.0.0.1:6379 (is REDIS_URL set?)';
