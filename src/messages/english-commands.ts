/** Texts of commands with their own course. `{value}`s mark places where a caller fills in a value. */
import { some } from './counts.ts';

export const englishCommands = {
  /** For a value on the command line, with its expected format. */
  flags: {
    francs: 'Write whole francs in digits: 25000.',
    whole: 'Write a whole number.',
    wholeFromOne: 'Write a whole number from 1 up.',
    digits: 'Write a whole number in digits.',
    digitsFrom: 'Write a whole number in digits, from {least} up.',
    digitsBetween: 'Write a whole number in digits, from {least} to {most}.',
    charactersFrom: 'Write {least} or more characters.',
    charactersBetween: 'Write {least} to {most} characters.',
    identity: 'Write 1 to 255 visible ASCII characters without spaces.',
    percent: 'Write a percentage from 1 to 100.',
    entry: 'Write KEY=VALUE, and each key once.',
    time: 'Write a time such as 2026-11-21T08:00:00Z.',
    duration: 'Write it as 20ms, 2s or 1m.',
    country: 'Write two letters, as in SN.',
    columns: 'Write it as transactionId=Transaction,amount=Montant,date=Date.',
    unknown: 'Not known: {wrong}. There is: {known}.',
    fault: '“{name}” is no fault. `relais sandbox --help` lists them.',
    faultCode: 'This fault needs a code: order it with POST /faults of the control API.',
    probability: 'A probability is between 0 and 1.',
    phones: 'Write them as +221771234567; this is not: {wrong}.',
    phonesMost: 'At most {most} numbers.',
  },
  /** For a command line whose parts contradict each other. */
  usage: {
    overwrites: '--csv would overwrite the file itself.',
    emptyArgument: (name: string) => `<${name}> is empty.`,
    isItSet: 'Is a variable of the shell not set?',
    anotherName: 'Give --csv another name.',
    needsText: (flag: string) => `${flag} needs a --text to show, or a --campaign.`,
    needsFile: (flag: string) => `${flag} needs a file.`,
    testAsks: '--test-send asks on standard input, which is the file here: add --yes.',
    testOrDry: '--dry-run sends nothing, and --test-send does: choose one.',
    nothingToChange: 'Give at least one change.',
    fileSaysAll: 'A file has all values: remove the other flags.',
    toAndText: 'Give --to and --text, or a file.',
    csvOfJson: '--csv needs a file with columns; JSON has none.',
    where: (given: string) => `--where ${given}: write it as reason=restored.`,
    token: '--confirm takes the printed value, such as 412:5f70bf18a0860070.',
    text: {
      braces: (about: string) => `--text: braces do not match: “${about}”`,
      noName: (about: string) => `--text: a variable has no name: “${about}”`,
      filter: (about: string) => `--text: “${about}” has no default; write {{name|word}}, or the word in quotes`,
      blank: () => '--text: no visible character; write at least one',
      controls: (about: string) => `--text: remove the control characters: “${about}”`,
      half: (about: string) => `--text: remove the broken character: “${about}”`,
    },
    country: '--country: this is not a country (write two letters, as in SN)',
    fileOrPhones: 'Give a file, or numbers with --phone.',
  },
  goesOn: (command: string) => `Follow its progress: ${command}`,
  next: (command: string) => `Next: ${command}`,
  textOne: (to: string) => `Send an SMS to ${to}?`,
  askPayer: (id: string) => `Ask the payer of ${id}?`,
  testSent: (to: string, outcome: string, id: string) => `Test to ${to}: ${outcome}  ${id}`,
  standardInput: 'standard input',
  noCampaign: 'The answer of the API is not a campaign.',
  sameVersion: 'Check that this program and the API have the same version.',
  tooLarge: (file: string, bytes: string, most: string) => `${file} has ${bytes} bytes; a batch may have ${most}.`,
  inParts: 'Split the file.',
  unreadableFile: {
    missing: 'there is no such file',
    folder: 'it is a folder',
    forbidden: 'it may not be read or written',
    other: 'it cannot be read',
  },
  aboutFile: (file: string, why: string) => `${file}: ${why}.`,
  prices: {
    form: 'Write it as {"SN": 20, "CI": 22.5}: XOF per segment, by country.',
  },
  plainLetters: 'letters, digits and . : / @ % + , = ~ - _',
  audit: { lines: 'lines', sealedTo: 'signed up to', noneYet: 'none yet', fault: 'changed line' },
  limits: {
    question: (name: string, value: string) => `Set ${name} to ${value}, for every process?`,
    waits: (command: string) => `For one day, a different person with the role approve can agree: ${command}`,
    holds: 'The limit applies now.',
    nobody: 'default',
    wrong: {
      xof: (name: string) => `${name}: write whole francs in digits, or off.`,
      recipients: (name: string) => `${name}: write a whole number of recipients, or off.`,
      ms: (name: string) => `${name}: write it as 10m or 24h, or off.`,
    },
  },
  optOuts: {
    labels: {
      account: 'account',
      sender: 'sender',
      added: 'added',
      already: 'already there',
      removed: 'removed',
      absent: 'not found',
      refused: 'refused',
    },
    everySender: 'all',
    forgotten: (count: number) =>
      `${some(count, 'more number was', 'more numbers were')} erased and stored as a hash only.`,
  },
  purge: {
    question: 'Erase the personal data? This cannot be undone.',
    looked: (count: string) => `${count} keys searched`,
    labels: {
      number: 'number',
      messages: 'messages',
      recipients: 'recipients',
      files: 'files of drafts deleted',
      requests: 'requests',
      events: 'events',
      optOut: 'opt-out',
    },
    kept: 'kept, as a hash',
    none: 'none',
    open: (count: number) =>
      `${some(count, 'is', 'are')} pending or about money: run the command again when they are finished.`,
  },
  migrate: {
    missing: (name: string) => `missing: ${name}`,
    applied: (name: string) => `applied: ${name}`,
    upToDate: (schema: string) => `The schema ${schema} is up to date.`,
    roles: (schema: string) => `Roles: ${schema}_app, ${schema}_reader, ${schema}_enqueue.`,
  },
  recover: {
    help: `
What happened: PostgreSQL knows less than a process or a witness remembers, or it is a copy. A backup was restored, or a
replica that was behind took over. Until a person decides, nothing is accepted and nothing is sent.

Example:
  relais recover                       what is open, what the provider says about it, what would be done
  relais recover --apply               settle what is proven, give the rest to a person, begin again
  relais recover --nothing-was-lost    nothing was lost: two persons confirm it within a day
  relais recover --new-stamp           SERVICE_BASE_URL and SERVICE_CRM_URL are the new addresses of the same provider`,
    moved: (settings: string) => `${settings}: another address than before. Is it the same provider that has moved?`,
    nothingDiffers: 'Nothing differs: processes with these settings start.',
    nothingLost: 'Was nothing restored, replaced or lost, so that all pending operations can continue?',
    asBefore: 'relais continues as before.',
    first: (person: string) =>
      `${person} has confirmed it. A different person must confirm it within a day: relais recover --nothing-was-lost.`,
    apply: 'Continue all pending operations? No SMS is sent and nothing is paid because of this backup alone.',
    progress: (done: string, of: string) => `${done} of ${of}`,
    applied: 'action of --apply',
    would: {
      review: 'needs review',
      ask: 'status check, else review',
      hold: 'held until resumed',
      doubt: 'status check, not sent again',
      look: 'status check as before',
      nothing: 'unchanged',
    },
    none: 'No recovery is active.',
    labels: {
      state: 'state',
      because: 'because',
      since: 'since',
      lastBeat: 'last active',
      lost: 'data lost',
    },
    lost: { yes: 'yes', no: 'not proven' },
    says: (asked: string, kind: string, told: string) => `The provider reports for ${asked} of ${kind}: ${told}`,
    steps: {
      copyMade: 'time of the backup',
      restored: (count: number) =>
        `${some(count, 'operation was', 'operations were')} accepted in the data-loss window and recorded again from the journal: a repeated request has no second effect.`,
      broken: (why: string, since: string) =>
        `The journal does not prove which operations were never sent (${why}). Operations accepted since ${since} that it lacks are unknown here. Compare with the dashboard before callers repeat a request.`,
      lostActions: (count: number, names: string) =>
        `The journal has ${some(count, 'action', 'actions')} of people that relais cannot replay (${names}): repeat each action that still applies.`,
      keys: (since: string) =>
        `Keys revoked since ${since} are valid again unless the journal has the revocation, and later keys are lost: relais keys list, then relais keys revoke ID.`,
      optOuts: (since: string) =>
        `Opt-outs since ${since} are lost: add them again (relais opt-outs add) before you resume a campaign.`,
      stops: (since: string) => `Account stops, queue pauses and limits set since ${since} are lost: set them again.`,
      lifted:
        'Stops, pauses and limits lifted since then are back: relais account list, GET /v1/queues, relais limits list.',
      endpoints: (since: string) =>
        `Webhook endpoints are as they were before ${since}. Personal data erased since then are back: relais purge.`,
      unreadable: (count: number, ids: string) =>
        `${some(count, 'record', 'records')} cannot be read (${ids}): relais does not change them. relais doctor gives the reason.`,
      review: (count: number) =>
        `${some(count, 'needs', 'need')} review: relais review list. Check each one in the dashboard of the provider, older ones too: they may be resolved already.`,
      campaigns: (count: number) =>
        `${some(count, 'campaign waits until it is', 'campaigns wait until they are')} resumed: relais campaign resume ID.`,
      texts:
        'relais checks SMS that may have been sent in the statistics. Recipients not found stay unknown: relais campaign retry ID --include-unknown sends to them again.',
    },
    todo: `What to do: relais recover --apply, or relais recover --nothing-was-lost. Only the provider
knows what was done since then; docs/restore.md has the steps.`,
  },
  reconcile: {
    noRow: (file: string) => `${file} has no readable row.`,
    because: (row: number, problem: string) => `row ${row}: ${problem}`,
    otherSheet: 'Export the days again with their rows, or name the sheet that has them with --sheet.',
    noColumn: (file: string, name: string) => `${file} has no column “${name}”.`,
    itHas: (names: string) => `It has: ${names}`,
    days: (from: string, to: string) => `${from} to ${to}`,
    labels: {
      days: 'days',
      matched: 'matched',
      onlyOurs: 'only in relais',
      onlyTheirs: 'only in the statement',
      different: 'different amount',
      unreadable: 'unreadable rows',
    },
    titles: {
      onlyOurs: 'Only in relais',
      onlyTheirs: 'Only in the statement',
      different: 'Different amount',
      unreadable: 'Unreadable',
    },
    problems: {
      empty: '{column} is empty',
      amount: '{column} is not a whole number of XOF: “{cell}”',
      date: '{column} is not a date: “{cell}”',
    },
  },
  events: {
    ahead: (cursor: string) => `The stream does not have the events up to ${cursor}.`,
    aheadNext:
      'PostgreSQL was restored to an earlier point. Re-read the state of your operations, then read on without --after.',
    forgotten: (cursor: string) => `Some events after ${cursor} are no longer stored: this reader has lost them.`,
    forgottenNext: (oldest: string) =>
      `Re-read the state of your operations, then read on without --after, from the oldest stored event (${oldest}).`,
  },
} as const;
