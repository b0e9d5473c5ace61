/**
 * The page behind the link in an SMS, with one button to opt out. For people without an account, a key or JavaScript.
 *
 * Opening the page changes nothing, since phones and networks open links to preview them; only the button does. The
 * page confirms only a stored opt-out. An unsigned link, and a link whose recipient is no longer stored, get one page
 * that says so. It reveals nothing, because only relais signs links. Requests with the same link within a few seconds
 * share one write.
 */
import { createHash } from 'node:crypto';
import express, { type Request, type Response, type Router } from 'express';
import { actOf } from '../kinds/acts.ts';
import { type OptOuts, nameOf } from '../ledger/opt-outs.ts';
import type { StopLinks } from '../ledger/stop-links.ts';
import { type Clock, within } from '../lib/clock.ts';
import type { Secret } from '../lib/secret.ts';
import { type StopPlace, readStopToken, stopTokenIn } from '../lib/stop-link.ts';
import { TokenBucket } from '../lib/token-bucket.ts';
import type { Act } from '../ledger/acts.ts';
import { type Language, isLanguage, languageAccepted, wordsIn } from '../messages/languages.ts';

/** The result of an opened or used link, for the metrics. */
export type StopOutcome = 'looked' | 'opted_out' | 'already' | 'no_such_link' | 'too_many' | 'unavailable';

export interface StopPageOptions {
  readonly secrets: readonly Secret[];
  readonly links: Pick<StopLinks, 'find'>;
  readonly optOuts: Pick<OptOuts, 'add'>;
  /** The sender ID of an account, unless the campaign names another. */
  readonly senderOf: (account: string) => string | undefined;
  /** The audit entry of an opt-out, without act and target. */
  readonly acting: () => Omit<Act, 'act' | 'target'>;
  readonly clock: Clock;
  readonly onStop: (outcome: StopOutcome, campaign?: string) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * For all users together: many share one address, and a campaign of a hundred thousand recipients causes a few a
 * second.
 */
const PRESSED = { burst: 400, perSecond: 200 };
const SAME_LINK_MS = 5_000;
/** Number of remembered links in that time. */
const REMEMBERED = 2_000;
const STORE_WITHIN_MS = 2_000;
const LATER_S = 60;

export function stopPages(options: StopPageOptions): Router {
  const router = express.Router();
  const press = presser(options);
  router.use(async (request: Request, response: Response) => {
    const language = languageFor(request);
    // The body is ignored: the path has everything.
    request.resume();
    const token = stopTokenIn(request.path.slice(1));
    if (request.method !== 'POST') {
      options.onStop('looked');
      const isSigned = readStopToken(options.secrets, token) !== undefined;
      return isSigned ? send(response, 200, page(language, 'ask')) : send(response, 404, page(language, 'unknown'));
    }
    const outcome = await press(token);
    if (outcome === 'done') return send(response, 200, page(language, 'done'));
    if (outcome === 'unknown') return send(response, 404, page(language, 'unknown'));
    response.set('Retry-After', String(LATER_S));
    return send(response, outcome === 'too many' ? 429 : 503, page(language, 'later'));
  });
  return router;
}

type Pressed = 'done' | 'unknown' | 'too many' | 'unavailable';

function presser(options: StopPageOptions): (token: string) => Promise<Pressed> {
  const { secrets, clock, onStop, onError } = options;
  // Separate buckets: invented links cannot block the holders of real ones.
  const [signed, madeUp] = [new TokenBucket(clock, PRESSED), new TokenBucket(clock, PRESSED)];
  const recent = new Map<string, { readonly at: number; readonly pressed: Promise<boolean> }>();
  const pressedBefore = (token: string): Promise<boolean> | undefined => {
    const before = recent.get(token);
    return before && clock.monotonic() - before.at < SAME_LINK_MS ? before.pressed : undefined;
  };
  const pressNow = (token: string, place: StopPlace): Promise<boolean> => {
    const at = clock.monotonic();
    const pressed = within({ clock, ms: STORE_WITHIN_MS, late }, optOut(place, options));
    recent.delete(token);
    recent.set(token, { at, pressed });
    const [oldest] = recent.keys();
    if (recent.size > REMEMBERED && oldest !== undefined) recent.delete(oldest);
    return pressed;
  };
  return async (token) => {
    // Before any query of PostgreSQL. A rate-limit answer would only reveal that the link was signed, and only relais
    // signs links.
    const place = readStopToken(secrets, token);
    // A repeated request costs nothing: otherwise a single link could block all others.
    const before = pressedBefore(token);
    if (!before && !(place === undefined ? madeUp : signed).take()) {
      onStop('too_many');
      return 'too many';
    }
    if (place === undefined) {
      onStop('no_such_link');
      return 'unknown';
    }
    try {
      return (await (before ?? pressNow(token, place))) ? 'done' : 'unknown';
    } catch (error) {
      recent.delete(token);
      onError(error);
      onStop('unavailable');
      return 'unavailable';
    }
  };
}

const late = (): Error => new Error(`an opt-out could not be written down within ${STORE_WITHIN_MS} ms`);

/**
 * For the sender ID of the SMS: the campaign's own, otherwise that of the account, otherwise every one. False: the
 * recipient is no longer stored, and neither is the opt-out.
 */
async function optOut(
  place: StopPlace,
  { links, optOuts, senderOf, acting, onStop }: StopPageOptions,
): Promise<boolean> {
  const linked = await links.find(place);
  if (linked === undefined) {
    onStop('no_such_link');
    return false;
  }
  const { account, campaign, to, from = senderOf(account) ?? '' } = linked;
  const list = { account, sender: from };
  const added = await optOuts.add(list, [to], {
    ...acting(),
    act: actOf('addOptOuts') ?? '',
    target: nameOf(list),
    facts: { campaign },
  });
  onStop(added > 0 ? 'opted_out' : 'already', campaign);
  return true;
}

/** French by default: most recipients speak it. */
function languageFor({ query, headers }: Request): Language {
  const asked = query['lang'];
  if (typeof asked === 'string' && isLanguage(asked)) return asked;
  return languageAccepted(headers['accept-language']) ?? 'fr';
}

const STYLE =
  ':root{color-scheme:light dark}body{font:1.125rem/1.5 system-ui,sans-serif;max-width:34rem;margin:0 auto;padding:1.5rem}' +
  'h1{font-size:1.5rem;line-height:1.2}button{font:inherit;font-weight:600;width:100%;padding:1rem;' +
  'border:2px solid transparent;' +
  'border-radius:.5rem;background:#a4161a;color:#fff;cursor:pointer}button:focus-visible,a:focus-visible{outline:3px solid ' +
  'currentColor;outline-offset:3px}a{color:inherit}';

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  Vary: 'Accept-Language',
  'Content-Security-Policy':
    `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; ` +
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  // The link grants an opt-out: it must not reach other pages.
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex, nofollow',
} as const;

function send(response: Response, status: number, body: Buffer): void {
  response.status(status).set(HEADERS).set('Content-Length', String(body.length)).end(body);
}

type Shown = 'ask' | 'done' | 'unknown' | 'later';

const pages = new Map<string, Buffer>();

/** Cached: concurrent readers share the bytes. */
function page(language: Language, shows: Shown): Buffer {
  const name = `${language} ${shows}`;
  const made = pages.get(name) ?? Buffer.from(pageText(language, shows));
  pages.set(name, made);
  return made;
}

function pageText(language: Language, shows: Shown): string {
  const { stop } = wordsIn(language);
  const other = language === 'fr' ? 'en' : 'fr';
  const { title, says } = {
    ask: { title: stop.title, says: stop.ask },
    done: { title: stop.doneTitle, says: stop.done },
    unknown: { title: stop.unknownTitle, says: stop.unknown },
    later: { title: stop.laterTitle, says: stop.later },
  }[shows];
  // Without an action the form posts to its own address, with the chosen language.
  const button = `<form method="post"><button type="submit">${stop.button}</button></form>\n<p>${stop.nothingYet}</p>\n`;
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p${shows === 'ask' ? '' : ' role="status"'}>${says}</p>
${shows === 'ask' || shows === 'later' ? button : ''}</main>
${shows === 'ask' || shows === 'unknown' ? `<p><a href="?lang=${other}" lang="${other}" hreflang="${other}">${stop.otherLanguage}</a></p>\n` : ''}</body>
</html>
`;
}
