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
    nothingToChange: 'Say what to change.',
    fileSaysAll: 'A file says all of it: leave the other flags out.',
    toAndText: 'Give --to and --text, or a file.',
    csvOfJson: '--csv needs a file with columns; JSON has none.',
    where: (given: string) => `--where ${given}: write it as reason=restored.`,
    token: '--confirm takes what was told, such as 412:5f70bf18a0860070.',
    text: {
      braces: (about: string) => `--text: braces do not match: “${about}”`,
      noName: (about: string) => `--text: a variable has no name: “${about}”`,
      filter: (about: string) => `--text: “${about}” has no default; write {{name|word}}, or the word in quotes`,
      blank: () => '--text: nothing in it can be seen; write at least one visible character',
      controls: (about: string) => `--text: remove the control characters: “${about}”`,
      half: (about: string) => `--text: remove the half of a character: “${about}”`,
    },
    country: '--country: this is not a country (write two letters, as in SN)',
    fileOrPhones: 'Name a file, or numbers with --phone.',
  },
  goesOn: (command: string) => `Follow its progress: ${command}`,
  next: (command: string) => `Next: ${command}`,
  textOne: (to: string) => `Text ${to}?`,
  askPayer: (id: string) => `Ask the payer of ${id}?`,
  testSent: (to: string, outcome: string, id: string) => `Test to ${to}: ${outcome}  ${id}`,
  standardInput: 'standard input',
  noCampaign: 'The API answered something that is no campaign.',
  sameVersion: 'Are this program and the API of the same version?',
  tooLarge: (file: string, bytes: string, most: string) => `${file} has ${bytes} bytes; a batch may have ${most}.`,
  inParts: 'Send it in parts.',
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
  audit: { lines: 'lines', sealedTo: 'sealed to', noneYet: 'none yet', fault: 'does not fit' },
  limits: {
    question: (name: string, value: string) => `Set ${name} to ${value}, for every process?`,
    waits: (command: string) => `It waits a day for a different person with the role approve: ${command}`,
    holds: 'It holds.',
    nobody: 'nobody: the default',
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
      already: 'there already',
      removed: 'removed',
      absent: 'were not there',
      refused: 'refused',
    },
    everySender: 'all',
    forgotten: (count: number) =>
      `${some(count, 'more is kept as a hash: its person was', 'more are kept as hashes: their people were')} forgotten.`,
  },
  purge: {
    question: 'Forget this person? It cannot be undone.',
    looked: (count: string) => `${count} keys looked at`,
    labels: {
      number: 'number',
      messages: 'messages',
      recipients: 'recipients',
      files: 'files of drafts dropped',
      requests: 'requests',
      events: 'events',
      optOut: 'opt-out',
    },
    kept: 'kept, as a hash',
    none: 'none',
    open: (count: number) =>
      `${some(count, 'is', 'are')} on the way, not settled, or about money: run it again when that is over.`,
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
    nothingLost: 'Was nothing restored, replaced or lost, so that all that is open may go on?',
    asBefore: 'It goes on as before.',
    first: (person: string) =>
      `${person} has confirmed it. Another person must confirm it within a day: relais recover --nothing-was-lost.`,
    apply: 'Continue everything that is open? No SMS is sent and nothing is paid because of this copy alone.',
    progress: (done: string, of: string) => `${done} of ${of}`,
    applied: 'what --apply does',
    would: {
      review: 'to a person',
      ask: 'asked about, else to a person',
      hold: 'held until resumed',
      doubt: 'looked up, not sent again',
      look: 'looked at as ever',
      nothing: 'stays',
    },
    none: 'No recovery is under way.',
    labels: {
      state: 'state',
      because: 'because',
      since: 'since',
      lastBeat: 'last at work',
      lost: 'something was lost',
    },
    lost: { yes: 'yes', no: 'not proven' },
    says: (asked: string, kind: string, told: string) => `The service says about ${asked} of ${kind}: ${told}`,
    steps: {
      copyMade: 'the copy was made',
      restored: (count: number) =>
        `${some(count, 'operation was', 'operations were')} accepted in the lost time and recorded again from the journal: a repeated request does not do them again.`,
      broken: (why: string, since: string) =>
        `The journal does not prove what never left (${why}): what was accepted since ${since} and is not in it is unknown here. Compare with the dashboard before callers repeat anything.`,
      lostActions: (count: number, names: string) =>
        `The journal knows ${some(count, 'act', 'acts')} of people that cannot be replayed (${names}): do each again that still applies.`,
      keys: (since: string) =>
        `Keys that were revoked since ${since} count again unless the journal knew of it, and those made since are gone: relais keys list, then relais keys revoke ID.`,
      optOuts: (since: string) =>
        `Opt-outs since ${since} are lost: bring them again (relais opt-outs add) before a campaign is resumed.`,
      stops: (since: string) =>
        `Stops of accounts, pauses of queues and limits that were set since ${since} are gone: set them anew.`,
      lifted: 'Those that were lifted since are back: relais account list, GET /v1/queues, relais limits list.',
      endpoints: (since: string) =>
        `Event endpoints are as they were before ${since}. Persons who were forgotten since are known again: relais purge.`,
      unreadable: (count: number, ids: string) =>
        `${some(count, 'record', 'records')} cannot be read (${ids}): they are as they were, and nothing of them is due. relais doctor says why.`,
      review: (count: number) =>
        `${some(count, 'needs', 'need')} review: relais review list. Look each up in the dashboard of the service, also those that waited already: they may have been resolved since.`,
      campaigns: (count: number) =>
        `${some(count, 'campaign waits until it is', 'campaigns wait until they are')} resumed: relais campaign resume ID.`,
      texts:
        'Texts that may have left are looked up in the statistics. Who is not shown stays unknown: relais campaign retry ID --include-unknown sends to them again.',
    },
    todo: `What to do: relais recover --apply, or relais recover --nothing-was-lost. Only the provider
knows what was done since then; docs/restore.md has the steps.`,
  },
  reconcile: {
    noRow: (file: string) => `${file} has no row that can be read.`,
    because: (row: number, problem: string) => `row ${row}: ${problem}`,
    otherSheet: 'Export the days again with their rows, or name the sheet that has them with --sheet.',
    noColumn: (file: string, name: string) => `${file} has no column “${name}”.`,
    itHas: (names: string) => `It has: ${names}`,
    days: (from: string, to: string) => `${from} to ${to}`,
    labels: {
      days: 'days',
      matched: 'matched',
      onlyOurs: 'only ours',
      onlyTheirs: 'only theirs',
      different: 'different amount',
      unreadable: 'unreadable rows',
    },
    titles: {
      onlyOurs: 'Only ours',
      onlyTheirs: 'Only theirs',
      different: 'Different amount',
      unreadable: 'Unreadable',
    },
    problems: {
      empty: '{column} is empty',
      amount: '{column} is no whole number of XOF: “{cell}”',
      date: '{column} is no date: “{cell}”',
    },
  },
  events: {
    ahead: (cursor: string) => `The events up to ${cursor} are not, or no longer, in the stream.`,
    aheadNext:
      'PostgreSQL was restored to an earlier point. Re-read the state of your operations, then read on without --after.',
    forgotten: (cursor: string) => `Events after ${cursor} are partly forgotten: some are lost to this reader.`,
    forgottenNext: (oldest: string) =>
      `Take stock, then read on without --after, from the oldest that is kept (${oldest}).`,
  },
} as const;
