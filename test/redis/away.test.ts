import { expect, test } from 'vitest';
import { howAway, RedisUnavailable } from '../../src/redis/connections.ts';

test.for([
  'LOADING Redis is loading the dataset in memory',
  "READONLY You can't write against a read only replica.",
  "OOM command not allowed when used memory > 'maxmemory'.",
  'ERR Error running script (call to f_1): @user_script:3: -MISCONF Redis is configured to save',
  "Stream isn't writeable and enableOfflineQueue options is false",
  'Connection is closed.',
  'connect ECONNREFUSED 127.0.0.1:6379',
])('the command was not carried out: %s', (message) => {
  expect(howAway(new Error(message))).toBe('not done');
});

test.for([
  'Command timed out',
  'Reached the max retries per request limit (which is 0). Refer to "maxRetriesPerRequest" option for details.',
  'read ECONNRESET',
  'write EPIPE',
  // During a script, while a slot of a cluster is moving: its earlier writes stay.
  'ERR Script attempted to access a non local key in a cluster node script: c35baf76, on @user_script:29. (script nudge)',
])('it may have been carried out: %s', (message) => {
  expect(howAway(new Error(message))).toBe('maybe done');
});

test.for(['WRONGPASS invalid username-password pair', 'NOAUTH Authentication required.', 'ERR unknown command'])(
  'it does not mean away: %s',
  (message) => {
    expect(howAway(new Error(message))).toBeUndefined();
    expect(howAway(new RedisUnavailable('Redis is not available', { cause: new Error(message) }))).toBe(
      message.startsWith('ERR') ? 'not done' : undefined,
    );
  },
);
