/** Rules of refusals: a closed list of codes for programs, each with advice. Each 403 and 409 has one. */
export const rules = {
  role: 'Use a key with this role.',
  account: 'Use a key for that account.',
  'all-accounts': 'Use a key that is not limited to accounts.',
  'other-person': 'Ask a different person: two keys of one person count as one.',
  'own-roles': 'Ask another person with the role admin to create it: you cannot grant yourself a role.',
  undecided: 'Answer the questions in `decisions` of the report.',
  'content-changed': 'Read it again: its content has changed.',
  origin: 'Send the request from a page of the console, over https or on this machine.',
  'sign-in-again': 'Confirm the key (`POST /v1/session/confirm`), then retry within five minutes.',
  limit: 'Reduce the amount, or ask an operator to raise the limit.',
  setting: 'Change the setting that `detail` names.',
  trial_number: 'Use a number of TRIAL_NUMBERS, or ask an operator to end the trial.',
  state: 'Read the operation again: its state has changed.',
  upstream: 'Accept the final status of the provider: it takes precedence.',
  identity:
    'Repeat the request of `existingId` unchanged, or use a new identity. `differs` names the changed fields.',
  unreadable: 'Run `relais doctor`.',
} as const;

export type Rule = keyof typeof rules;

export const ruleNames = Object.keys(rules);

export const isRule = (text: string): text is Rule => Object.hasOwn(rules, text);
