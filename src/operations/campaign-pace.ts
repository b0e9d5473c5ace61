/** What a campaign says about when and how fast it is sent, as its record keeps it. */
import type { Fields } from './record.ts';

/** How far ahead of its pace a campaign may be: chunks come in whole fifties, and the sweeper once in a while. */
export const PACE_AHEAD_MS = 1_000;

/** A chunk that waits for its turn looks again this soon, since the pace may be changed meanwhile. */
export const PACE_LOOK_MS = 5_000;

export interface CampaignPace {
  /** Nothing is sent before this time, ms since the epoch. */
  readonly sendAt?: number;
  /** `on`: the hours of the settings; else hours such as `21:00-08:00`. Absent: it is sent at any hour. */
  readonly quietHours?: string;
  /** Whose clock the quiet hours are read on; absent: that of the settings. */
  readonly timezone?: string;
  /** Recipients per second, at most. Absent: as fast as the account may. */
  readonly perSecond?: number;
  /** How many recipients go first; 0: none do. Absent: some do where the campaign is large. */
  readonly canary?: number;
  /** The canary was looked at, or nobody asked for one. */
  readonly canaryOver: boolean;
  /** A text that went out under another sender than was asked stops the campaign, at any time. */
  readonly requireSender: boolean;
  /** Percent of failures at which it stops itself; 0: never. Absent: the percentage of everybody. */
  readonly pauseOnFailure?: number;
  /** Chunks that were handed out and have not left yet. */
  readonly out: number;
  /** When the next recipient may leave at this pace, ms since the epoch. */
  readonly paceAt: number;
  /** How many were over, and how many of them failed or were in doubt, when they were last judged. */
  readonly judgedOver: number;
  readonly judgedFailed: number;
  /** Absent in a record from before doubt was judged: what was in doubt then is not held against it. */
  readonly judgedUnknown?: number;
}

/** Fields of a record that are counted or timed; '' and absent are the same. */
function number(fields: Fields, name: string): number | undefined {
  const text = fields[name];
  return text === undefined || text === '' ? undefined : Number(text);
}

export function readPace(fields: Fields): CampaignPace {
  const optional = (name: string): Record<string, number> => {
    const value = number(fields, name);
    return value === undefined ? {} : { [name]: value };
  };
  const { quietHours, timezone } = fields;
  return {
    ...optional('sendAt'),
    ...optional('perSecond'),
    ...optional('canary'),
    ...optional('pauseOnFailure'),
    ...optional('judgedUnknown'),
    ...(quietHours ? { quietHours } : {}),
    ...(timezone ? { timezone } : {}),
    canaryOver: fields['canaryOver'] === '1',
    requireSender: fields['requireSender'] === '1',
    out: Math.max(0, number(fields, 'out') ?? 0),
    paceAt: number(fields, 'paceAt') ?? 0,
    judgedOver: number(fields, 'judgedOver') ?? 0,
    judgedFailed: number(fields, 'judgedFailed') ?? 0,
  };
}
