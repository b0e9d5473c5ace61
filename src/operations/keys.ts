import { fingerprint } from '../lib/ids.ts';

/** What the fields of `counts` that count events begin with; the type follows. */
export const EVENT_FIELD = 'event:';

/** In the heartbeat: when somebody last went on with a Redis that had lost something (ms). */
export const LED_ON_FIELD = 'ledOnAt';

/** In the heartbeat: there was nothing when the first process began, and no witness told it what should be there. */
export const ON_NOTHING_FIELD = 'beganOnNothing';
/** For so long a word of before is compared with what the first process to begin has found. */
export const FOUND_FOR_MS = 7 * 86_400_000;

/** What the fields of the heartbeat begin with that hold the counter at the last act of a process; its name follows. */
export const MARK = 'process:';

/** Field of the same hash: XOF of the disbursements in flight of an account, by withdraw mode. */
export const FLIGHT_FIELD = 'flight:';
export const flightField = (account: string, withdrawMode = ''): string =>
  `${FLIGHT_FIELD}${account}:${withdrawMode}`;

/** Fields of the same hash: how many operations of an account nothing was sent of yet, and their XOF; its name follows. */
export const UNSENT_FIELD = 'unsent:';
export const UNSENT_XOF_FIELD = 'unsent-xof:';

/** Fields of the same hash: XOF in doubt, by when the doubt began; the number of that span of time follows. */
export const DOUBT_FIELD = 'doubt:';
export const DOUBT_SLOT_MS = 300_000;

/** What the fields of `trimmed` begin with that say how often one left; its kind follows. */
export const LEFT_FIELD = 'left:';

/** Field of the same hash: history is kept, so what becomes final is noted for it. */
export const HISTORY_FIELD = 'history:';

/**
 * Where each thing lives in Redis, below the prefix that the connection puts before every key (`openCommands`). Nothing
 * else in the code base spells a key of ours.
 */
export const keys = {
  /** Never there. A node of a cluster that is asked for it says whether keys of ours are on their way to another. */
  nothing: 'nothing',
  /** Hash: what we durably know about one operation, campaign or slice. */
  record: (id: string): string => `op:${id}`,
  /** String: the operation that a caller's reference belongs to, where the reference is not itself the identity. */
  reference: (account: string, kind: string, reference: string): string =>
    `ref:${kind}:${fingerprint(`${account}\n${reference}`)}`,
  /**
   * Hash, by when a recovery began: what was open when it began to be applied (JSON), and behind a space and a kind how
   * far that was put back from history, and how many were.
   */
  recoveryBefore: 'recovery:before',
  /** Set: what a recovery could not lead on, since it cannot be read. */
  recoverySkipped: 'recovery:skipped',
  recoveryLost: 'recovery:lost',
  /** String: what the last recovery came to (JSON). */
  recoveryReport: 'recovery:report',
  /** Set: ids of records that somebody could not read. */
  unreadable: 'unreadable',
  /** Sorted set: ids by the time (ms) at which somebody must look at them next. */
  due: (queue: string): string => `due:${queue}`,
  /** Hash: what BullMQ knows of a queue; `paused` is in it while nobody is to take anything from it. */
  queue: (queue: string): string => `${queue}:meta`,
  /** What BullMQ keeps of the jobs of a queue: those that wait, those with a priority, those for later, its call. */
  jobs: (queue: string, part: 'wait' | 'prioritized' | 'delayed' | 'marker'): string => `${queue}:${part}`,
  /**
   * Hash: when relais was last at work here (`at`, ms), in which `epoch`, those `before` it, and a `counter` that every
   * beat and every effect raises. `recovering` is there while nothing may leave.
   */
  heartbeat: 'heartbeat',
  /** Hash: why nothing may leave, since when, and what was seen; only while a recovery is under way. */
  recovery: 'recovery',
  /** String: this Redis has seen a heartbeat before, so that none is no first start. */
  schema: 'schema',
  /** Stream: what we tell our callers. */
  events: 'events',
  /** Hash: id of a key of callers that was made while relais runs → all of it, as JSON, with the hash of its secret. */
  apiKeys: 'api-keys',
  /** Hash: a person that came by a provider of identities (it, and what it calls them) → the person. */
  persons: 'persons',
  /** Hash: a provider of identities and the name of a person → what the provider calls them. */
  personSubjects: 'persons:subjects',
  /** Set: persons and an address that they came with, where they are called otherwise. */
  personsCalled: 'persons:called',
  /** String: a session of the console (JSON), by the hash of its id. */
  session: (hash: string): string => `session:${hash}`,
  /** Stream: requests of the queue `intake` that were refused (JSON). */
  rejections: 'intake-rejections',
  /** String: this refusal was reported. */
  rejection: (id: string): string => `intake-rejection:${id}`,
  /** Stream: which person did what. */
  audit: 'audit',
  /** String: place and hash of its last line. */
  auditLast: 'audit:last',
  /** List: what the processes have sealed of it, as JSON, the newest last. */
  auditSeals: 'audit:seals',
  /** String: what the last verification of all its lines found (JSON). */
  auditVerified: 'audit:verified',
  /** String: a process verifies all its lines just now. */
  auditVerifying: 'audit:verifying',
  /** Stream: what BullMQ tells dashboards about the jobs of a queue. The last thousand or so are kept. */
  announcements: (queue: string): string => `${queue}:events`,
  /**
   * Hash: how far the events are dispatched to endpoints (`cursor`), and how often the list of endpoints changed
   * (`rev`).
   */
  dispatch: 'events:dispatch',
  /** Hash: the sums of the day that is open, and until when it is. */
  book: 'book',
  /** Hash: number of a day that is over → its sums, which nothing changes any more. */
  closedDays: 'book:closed',
  /** Set: ids of the endpoints that signed deliveries go to. */
  endpoints: 'endpoints',
  /** Sorted set: places of the events that an endpoint has not taken yet, by the time (ms) of the next try. */
  deliveries: (endpoint: string): string => `endpoint:${endpoint}:due`,
  /** Hash: place of an event → tries made to deliver it. */
  deliveryTries: (endpoint: string): string => `endpoint:${endpoint}:tries`,
  /** List: places of the events that an endpoint never took, newest first. */
  undelivered: (endpoint: string): string => `endpoint:${endpoint}:dead`,
  /** List: what became of the last deliveries, newest first. */
  deliveryLog: (endpoint: string): string => `endpoint:${endpoint}:log`,
  /**
   * Hash: how many operations of a kind stand in each state (`queued`), for how many XOF (`xof:queued`), and how many
   * events of each type were ever emitted (`event:disbursement.held`).
   */
  counts: (kind: string): string => `count:${kind}`,
  /** Sorted set: ids of a kind of which there are few, by creation time (ms). */
  index: (kind: string): string => `all:${kind}`,
  /** Sorted set: members of lists (`lists.ts`) by creation time (ms). Each operation stands in one. */
  listed: (kind: string, account: string, state: string): string => `list:${kind}:${account}:${state}`,
  /** Sorted set, all of one score: hashed names, each with what it names (`places.ts`). */
  names: (bucket: string): string => `names:${bucket}`,
  /** String: the key of those hashes. */
  nameKey: 'names-key',
  /** Set: names of the accounts that were ever asked to do something. */
  accounts: 'accounts',
  /** Sorted set: ids of a kind in a state that is not final, by the time (ms) they entered it. */
  state: (kind: string, state: string): string => `in:${kind}:${state}`,
  /** Hash: the conditions for which an account is held, reason → JSON. */
  account: (name: string): string => `account:${name}`,
  /** Set: names of the accounts that have a hold. */
  heldAccounts: 'accounts:held',
  /** Set: slices of a campaign that were handed out and found it paused. */
  parked: (campaign: string): string => `parked:${campaign}`,
  /** Hash: the file of a draft, in pieces by their number, with what is known `about` it; see kept-files.ts. */
  keptFile: (campaign: string): string => `kept-file:${campaign}`,
  /** Zset: `campaign.tag` of uploads that were begun and neither count nor were taken back, by when they were begun (ms). */
  stagedUploads: 'staged-uploads',
  /** List: packed rows of a campaign that will not be sent, with the reason. */
  skipped: (campaign: string, tag: string): string => `skipped:${campaign}:${tag}`,
  /** List: what the file had beside number and values for each recipient of a slice, packed, by place; see slice-form.ts. */
  own: (slice: string): string => `own:${slice}`,
  /** Set: digits of the numbers that do not want to be texted, by any sender ('') or by this one. */
  optOuts: (account: string, sender: string): string => `optouts:${account}:${sender}`,
  /** Set: hashes of sender and number, where the person was forgotten and the opt-out stays. */
  optOutsForgotten: (account: string): string => `optouts-forgotten:${account}`,
  /** Set: `account/sender` of every list of opt-outs. */
  optOutLists: 'optout-lists',
  /** Hash: how the links of opt-outs call an upload → `campaign.tag`. */
  stopUploads: 'stop-uploads',
  /** Hash: marks of the texts that are on their way or in doubt → the time (ms) they were begun. */
  openTexts: (account: string): string => `texts:${account}:open-since`,
  /** Set: marks of the texts that were counted as sent in this half day. */
  sentTexts: (account: string, slot: number): string => `texts:${account}:sent:${slot}`,
  /** List: the packed rows of a batch, in the order of its file. */
  batchRows: (batch: string): string => `batch:${batch}:rows`,
  /** Hash: place of a row of a batch → why acceptance refused it. */
  batchRefused: (batch: string): string => `batch:${batch}:refused`,
  /** String: the batch that last waited for an approval of these bytes. */
  batchOf: (account: string, contentHash: string): string => `batch-of:${account}:${contentHash}`,
  /** String: what was last posted to us about an operation, redacted. */
  callback: (id: string): string => `callback:${id}`,
  /** String: the operation that upstream gave this token or transaction id. */
  claim: (account: string, named: string): string => `claim:${fingerprint(`${account}\n${named}`)}`,
  /** Hash: name of a worker → when it last said that it is here (ms), and how many slots it has. */
  workers: 'workers',
  /** String: somebody has looked at the balances, and at the memory of Redis, in this span of time. */
  balanceTurn: 'balances:turn',
  /** List: what an account had left when it was looked at (JSON), newest first. */
  balances: (account: string): string => `balances:of:${account}`,
  /** List: how much memory Redis used when it was looked at (JSON), newest first. */
  memory: 'memory',
  /** String: whose all these keys are, as JSON. */
  stamp: 'stamp',
  /** Hash: the limits of money that all processes share; of each also since when, by which key, and what was asked for. */
  limits: 'limits',
  /** Hash: XOF accepted on one day, in all and by beneficiary. */
  acceptedOn: (account: string, day: string): string => `accepted:${account}:${day}`,
  /** Hash: hundredths of XOF that the texts of an account were counted for in a month, in all and by day. */
  textsCost: (account: string, month: string): string => `texts-cost:${account}:${month}`,
  /** String: the operation that paid this beneficiary this amount a little while ago. */
  sameAgain: (account: string, payment: string): string => `same:${account}:${payment}`,
  /** Hash: how far history has come: what it was given and read back, and what is missing in it. */
  history: 'history',
  /** Sorted set: ids of what history does not have yet as it is now, by when it became so (ms). */
  historyWaiting: 'history:waiting',
  /** Hash: id of what history does not take → why, and of a line of a stream the line (JSON); see `set-aside.ts`. */
  historyAside: 'history:aside',
  /** Hash: name of an identity → what is left of its record, which history alone has; see `stubs.ts`. */
  stubs: (bucket: string): string => `stubs:${bucket}`,
  /** Hash: kind → up to which creation time (ms) some of its records were taken out, since history has them. */
  trimmed: 'history:trimmed',
  /** Hash: kind and day of its last change → how many left Redis; `to`: the last of these changes (ms). */
  historyLeft: 'history:left',
  /** Set: slices of single messages of which some leave just now. */
  slicesLeaving: 'history:slices',
  /** Hash: id of a record that history alone has → what was said about it since (JSON). */
  recalled: 'history:recalled',
  /** String: the process whose turn it is to write history. */
  historyTurn: 'history:turn',
} as const;
