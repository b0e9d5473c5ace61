/** What is promised of texts, checked against the book of the service and never against our own memory alone. */
import { keys } from '../../src/operations/keys.ts';
import { recipientStateOf, standingOf } from '../../src/operations/slice-form.ts';
import { type SliceRecord, readSlice } from '../../src/operations/slices.ts';
import { CAMPAIGN, type SliceWorld, messageOf } from './slice-world.ts';

const NOBODY_GOT = new Set(['failed', 'cancelled', 'skipped', 'queued', 'expired']);
const MOST_SENDS = 3;

interface Life {
  readonly number: string;
  readonly state: string;
  readonly times: number;
  readonly posts: number;
}

export function examineSlices(world: SliceWorld): { violations: string[]; states: Record<string, number> } {
  const slices = world.ids.map((id) => readSlice(Object.fromEntries(world.store.hash(keys.record(id)))));
  const lives = livesIn(world, slices);
  const violations = [
    ...lives.flatMap((life) => brokenFor(life, world)),
    ...(world.options.singles ? messagesOf(world, slices, lives) : booksOf(world, slices, lives)),
    ...requestsOf(world),
    ...budgetOf(world),
    ...world.crashes.map((error) => `crashed: ${String(error)}`),
  ];
  const states: Record<string, number> = {};
  for (const { state } of lives) states[state] = (states[state] ?? 0) + 1;
  return { violations, states };
}

/** A budget stops to the text, whatever died meanwhile. */
function budgetOf({ budget }: SliceWorld): string[] {
  if (budget === undefined || budget.booked <= budget.texts) return [];
  return [`B ${budget.booked} texts were sent on a budget for ${budget.texts}`];
}

function livesIn({ places, book, posts }: SliceWorld, slices: readonly SliceRecord[]): Life[] {
  const letters = new Map(slices.map(({ id, count, requests }) => [id, standingOf(count, requests).letters]));
  const postsOf = new Map<string, number>();
  for (const { numbers, refused } of posts) {
    for (const number of refused ? [] : numbers) postsOf.set(number, (postsOf.get(number) ?? 0) + 1);
  }
  return [...places].map(([number, [slice, place]]) => ({
    number,
    state: recipientStateOf[letters.get(slice)?.[place] ?? 'q'],
    times: book.get(number)?.length ?? 0,
    posts: postsOf.get(number) ?? 0,
  }));
}

function brokenFor({ number, state, times, posts }: Life, { options }: SliceWorld): string[] {
  const most = options.onUnknown === 'hold' ? 1 : MOST_SENDS;
  return [
    ...(times > most ? [`S1 ${number} got it ${times} times`] : []),
    ...(posts > most ? [`S7 ${number} was posted ${posts} times`] : []),
    ...(state === 'sent' && times === 0 ? [`S4 ${number} is sent and got nothing`] : []),
    ...(state === 'sending' ? [`L ${number} is sending, and nobody is at it`] : []),
    ...(NOBODY_GOT.has(state) && times > 0 ? [`S4 ${number} is ${state} and got it`] : []),
  ];
}

/** A message is what its slice says, is counted so, is announced once, and no mark of its text is left open. */
function messagesOf({ store }: SliceWorld, slices: readonly SliceRecord[], lives: readonly Life[]): string[] {
  const wrong: string[] = [];
  for (const { number, state } of lives) {
    const message = store.hash(keys.record(messageOf(number)));
    if (message.get('state') !== state) wrong.push(`M ${number} is ${state}, its message ${message.get('state')}`);
    if (message.get('seq') !== '1') wrong.push(`M ${number} is ${state}, told ${message.get('seq') ?? 0} times`);
  }
  for (const bin of new Set([...lives.map(({ state }) => state), 'queued', 'sending'])) {
    const here = lives.filter(({ state }) => state === bin).length;
    const counted = Number(store.hash(keys.counts('message')).get(bin) ?? 0);
    if (counted !== here) wrong.push(`M ${here} are ${bin}, ${counted} are counted`);
  }
  const open = store.hash(keys.openTexts('main')).size;
  if (open > 0) wrong.push(`M ${open} texts are open, and nobody is at them`);
  const waiting = slices.filter(({ state }) => state !== 'settled');
  if (waiting.length > 0) wrong.push(`L ${waiting.map(({ id, state }) => `${id} is still ${state}`).join(', ')}`);
  return wrong;
}

/** S3, and that everything has come to an end. */
function booksOf({ store }: SliceWorld, slices: readonly SliceRecord[], lives: readonly Life[]): string[] {
  const campaign = store.hash(keys.record(CAMPAIGN));
  const wrong: string[] = [];
  const bins = [...new Set(lives.map(({ state }) => state)), 'queued', 'sending'];
  for (const bin of bins) {
    const here = lives.filter(({ state }) => state === bin).length;
    const counted = Number(campaign.get(`t:${bin}`) ?? 0);
    if (counted !== here) wrong.push(`S3 ${here} are ${bin}, ${counted} are counted`);
  }
  const sum = [...campaign].filter(([name]) => name.startsWith('t:') && name !== 't:total');
  if (sum.reduce((total, [, count]) => total + Number(count), 0) !== lives.length)
    wrong.push('S3 the bins do not sum up');
  for (const state of ['sent', 'failed', 'unknown'] as const) {
    const here = lives.filter((life) => life.state === state).length;
    if (Number(campaign.get(`c:SN:${state}`) ?? 0) !== here) wrong.push(`S3 by country: ${state}`);
  }
  const open = slices.filter(({ state }) => state !== 'settled');
  if (open.length > 0) wrong.push(`L ${open.map(({ id, state }) => `${id} is still ${state}`).join(', ')}`);
  if (Number(campaign.get('settled') ?? 0) !== slices.length) wrong.push('L the campaign counts other slices');
  return wrong;
}

/** S5, S6, and what must stand in Redis when a request leaves. */
function requestsOf({ posts, expiries, cancelledAt = Number.POSITIVE_INFINITY }: SliceWorld): string[] {
  return posts.flatMap(({ numbers, durably, residue, leftAt, lookedAt }) => [
    ...numbers
      .filter((number) => lookedAt > (expiries.get(number) ?? Number.POSITIVE_INFINITY))
      .map((number) => `S8 ${number} left after its time`),
    ...(numbers.length > 50 || new Set(numbers).size < numbers.length ? [`S5 a request of ${numbers.length}`] : []),
    ...(durably || residue
      ? []
      : [`P7 ${numbers[0]} left without a durable intent${leftAt > cancelledAt ? ', S6' : ''}`]),
  ]);
}
