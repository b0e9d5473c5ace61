/** Texts of the commands that show, list or request one thing; and the format of figures. */
export interface Time {
  readonly year: string;
  readonly month: string;
  readonly day: string;
  readonly clock: string;
  /** As received. */
  readonly written: string;
}

export const englishFigures = {
  space: '\u00a0',
  money: (figure: string) => `${figure}\u00a0XOF`,
  time: ({ written }: Time) => written,
} as const;

export const englishShell = {
  none: 'None.',
  more: (command: string, after: string) => `There may be more: ${command} --after ${after}`,
  dryRun: 'Dry run: nothing was sent.',
  askedBefore: (state: string, id: string) =>
    `It was asked for before, is ${state}, and would not be done again: ${id}`,
  replayed: 'It was asked before with this reference, or key; nothing new was done.',
  giveIdentity: 'Give --reference (or --idempotency-key): without one, a retry would be a second request.',
  inputIsRequest: 'Standard input is the request, so nothing can be asked.',
  addYes: 'Add --yes.',
  stopped: 'Stopped.',
  unasked: (code: string) => `What was to be asked could not be written (${code}). Nothing was done.`,
  unwritten: (code: string) =>
    `Not all that was to be printed could be written (${code}). What was asked for was not broken off by it.`,
  showsExample: '(--help shows an example)',
  settings: `
Settings of the commands that ask the API:
  RELAIS_URL      its address (http://127.0.0.1:3000)
  RELAIS_API_KEY  one of its keys (dev)
In French: --lang fr, or LANG=fr_SN.UTF-8.`,
  itIsBack: 'It is back.',
  stillTrying: (why: string) => `${why} Still trying.`,
  file: {
    missing: (file: string) => `${file}: there is no such file.`,
    folder: (file: string) => `${file}: it is a folder.`,
    forbidden: (file: string) => `${file}: it may not be read.`,
    noJson: (file: string) => `${file} is not JSON.`,
    noObject: (file: string) => `${file} is not one JSON object.`,
    next: {
      missing: 'Check its name, and the folder that you are in.',
      folder: 'Name a file in it.',
      forbidden: 'Let the user that runs this command read it.',
      noJson: '--help shows an example.',
    },
  },
  payThem: (file: string) => `Pay everybody of ${file}?`,
  textThem: (file: string) => `Text everybody of ${file}?`,
  noLine: 'There was no line.',
  line: (number: number) => `line ${number}`,
  outcomes: {
    accepted: 'accepted',
    duplicate: 'duplicate',
    valid: 'valid',
    conflict: 'conflict',
    invalid: 'invalid',
  },
  brokeOff: 'The answer broke off in the middle.',
  sendFileAgain: 'Send the file again: with references, or with the same --idempotency-key, nothing is done twice.',
  letBePaid: (amount: string, to: string) => `Let ${amount} be paid to ${to}?`,
  batchNeedsHash: 'A batch is approved with its hash.',
  seeBatch: (id: string) => `See it: relais disburse batch-show ${id}`,
  review: {
    succeeded: (what: string) => `Record that ${what} was paid?`,
    failed: (what: string) => `Record that ${what} was not paid?`,
    reversed: (what: string) => `Record that ${what} came back after it was paid?`,
    cancelled: (what: string) => `Cancel ${what}?`,
    resubmit: (what: string) => `Pay ${what} now, if the provider still says that it was never executed?`,
    idOrWhere: 'Name one by its id, or say --where.',
    transactionOfOne: 'A transaction is that of one: name it by its id.',
    one: (amount: string, to: string) => `${amount} to ${to}`,
    many: (count: string, xof: string) => `${count} disbursements of ${xof}`,
    nothingYet: (token: string) =>
      `Nothing was decided. To decide exactly these: the same command with --confirm ${token}`,
    type: (question: string, count: string) => `${question} Type ${count} to do so:`,
    nothing: 'Nothing was decided.',
    inAll: 'in all',
    refused: 'refused',
    brokeOff: 'Give the command again without --confirm: it tells what is left. None is decided twice.',
    done: (decided: string, xof: string, refused: string) => `${decided} decided, ${xof}; ${refused} refused.`,
  },
  explanation: {
    next: 'Next',
    lookedAtAgain: (time: string) => `It is looked at again at ${time}.`,
  },
  accounts: {
    open: 'open',
    meaning: (reason: string) => `What a reason means: relais explain ${reason}`,
  },
  refused: {
    nobodyThere: (url: string, code: string) => `There is no relais at ${url} (${code}).`,
    startOne:
      'Start one: `relais dev` needs nothing, `relais run` needs its settings. Or set RELAIS_URL to where it is.',
    answerLost: (url: string, code: string) => `The answer of ${url} was lost (${code}).`,
    maybeDone: 'It may have been done, or not.',
    againOnce: 'Run the same command again: what was done already is found, not done twice.',
    lookFirst:
      'Look first whether it was done. Only what has a reference or an --idempotency-key is found again for certain: anything else may be done a second time.',
    again: 'Run the same command again.',
    tooLarge: (url: string) => `The answer of ${url} is larger than a command takes (64 MiB).`,
    lessAtOnce: 'Ask for less at once, as of fewer days or of one account.',
    notRelais: (url: string, status: number) =>
      `What answers at ${url} is not the API of relais (HTTP ${status}, another answer than it gives).`,
    setUrl: 'Set RELAIS_URL to the address of the API.',
    noAddress: (text: string) => `RELAIS_URL is not an address: "${text}"`,
    writeAs: (example: string) => `Write it as ${example}`,
    answered: (status: number) => `The API answered HTTP ${status}.`,
    theRequest: 'the request',
    itIs: (id: string) => `It is ${id}.`,
    seeIt: (command: string, id: string) => `See it: relais ${command} ${id}`,
    notTheSame: (names: string) => `Not the same: ${names}.`,
    anotherReference: 'For something else, give another --reference.',
    byRule: (help: string, rule: string) => `${help} (RELAIS_API_KEY; rule: ${rule})`,
    steps: {
      401: 'Set RELAIS_API_KEY to a key of API_KEYS, or one created with `relais keys create`. `relais dev` takes the key dev.',
      404: 'Is the id whole? A key that is bound to an account does not see the others (RELAIS_API_KEY).',
      429: 'Wait a moment, or raise API_RATE.',
      501: 'This relais is older than the command. Deploy the same version.',
      503: 'Try again in a moment: the same command is never done twice. If it lasts, run relais doctor.',
    },
    seeLog: 'The log of `relais run` says more.',
  },
} as const;
