/** Which rule refused: a closed list of words for programs, with what helps. Each 403 and 409 carries one. */
export const rules = {
  role: 'Use a key that has this role.',
  account: 'Use a key for that account.',
  'all-accounts': 'Use a key that is bound to no account.',
  'other-person': 'Have another person do it: two keys of one person are one.',
  'own-roles': 'Have another person with the role admin make it: nobody gives themselves a role.',
  undecided: 'Decide what `decisions` of the report names.',
  'content-changed': 'Look at it again: it is no longer what was read.',
  origin: 'Ask from the page of the console, over https or on this machine.',
  'sign-in-again': 'Show the key again (`POST /v1/session/confirm`), then do it within five minutes.',
  limit: 'Ask for less, or have the limit raised.',
  setting: 'Set what `detail` names.',
  state: 'Read it again: it has gone on, or waits for something else.',
  upstream: 'Nothing: the word of the service is stronger.',
  identity:
    'Repeat the request of `existingId` as it was, or name this one anew. `differs` says what is not the same.',
  unreadable: 'Run `relais doctor`.',
} as const;

export type Rule = keyof typeof rules;

export const ruleNames = Object.keys(rules);

export const isRule = (text: string): text is Rule => Object.hasOwn(rules, text);
