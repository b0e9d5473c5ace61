/** Parts of a campaign's text that would probably look wrong on a phone. */
import { STOP } from '../../lib/stop-link.ts';
import { canonicalName } from '../../lib/wording.ts';
import { damageIn } from './damage.ts';

export interface TextDoubt {
  /**
   * `not_a_variable`: the placeholder of another program. `touched_link`: adjacent text that a phone would include in
   * the link. `damaged_text`: damage by a program.
   */
  readonly reason: 'not_a_variable' | 'touched_link' | 'damaged_text';
  readonly written: string;
  /** Absent if letters are lost. */
  readonly meant?: string;
}

/** `columns`: the file's names. */
export function doubtsInText(text: string, columns: readonly string[]): readonly TextDoubt[] {
  const taken = new Set<number>();
  const doubts: TextDoubt[] = [
    ...placeholdersIn(text, new Set([...columns.map(canonicalName), STOP]), taken),
    ...touchedLinksIn(text),
    ...damageIn(text).flatMap(({ at, written, meant }): TextDoubt[] =>
      taken.has(at) ? [] : [{ reason: 'damaged_text', written, ...(meant !== undefined && { meant }) }],
    ),
  ];
  return doubts.filter(
    ({ reason, written }, at) => doubts.findIndex((one) => one.reason === reason && one.written === written) === at,
  );
}

const NAME = String.raw`\s*(\p{L}[\p{L}\p{N}_.-]{0,39})\s*`;
const TIGHT = String.raw`(\p{L}[\p{L}\p{N}_.-]{0,39})`;
/** Excludes percent signs in ordinary text: `10%de` and `20%`. */
const [APART, ALONE] = [String.raw`(?<![\p{L}\p{N}%#])`, String.raw`(?![\p{L}\p{N}%#])`];

/** Text inside these brackets is always a placeholder. Wider patterns come first: they contain the narrower ones. */
const SURE = [
  String.raw`\{\{\{${NAME}\}\}\}`,
  String.raw`\$\{${NAME}\}`,
  String.raw`\{%-?${NAME}-?%\}`,
  String.raw`\[%=?${NAME}%\]`,
  String.raw`<%=?${NAME}%>`,
  String.raw`\(\(${NAME}\)\)`,
  String.raw`\*\|${NAME}\|\*`,
  String.raw`\[\[${NAME}\]\]`,
  `<<${NAME}>>`,
  String.raw`%\(${NAME}\)s`,
  `%%${TIGHT}%%`,
  `${APART}%${TIGHT}%${ALONE}`,
  `${APART}#${TIGHT}#${ALONE}`,
  // A bracket typed only a single time. Names of columns may contain spaces.
  String.raw`(?<!\{)\{\s*\$?\s*(\p{L}[\p{L}\p{N}_ .-]{0,39})\}(?!\})`,
].map((source) => new RegExp(source, 'gu'));

/** Ordinary signs: a placeholder only with a column name, or with a name that is common in such programs. */
const WITH_A_NAME = [
  /«\s*([^«»\n]{1,40}?)\s*»/gu,
  /\[([^[\]\n]{1,40})\]/gu,
  /<([^<>\n]{1,40})>/gu,
  /%([^%\n]{1,40})%/gu,
  /(?<![\p{L}\p{N}_])__(\p{L}[\p{L}\p{N}_]{0,39}?)__(?![\p{L}\p{N}_])/gu,
  /(?<![\p{L}\p{N}@$])[@$](\p{L}[\p{L}\p{N}_]{0,39})/gu,
] as const;

const USUAL = new Set(
  (
    'prenom nom noms prenoms nomcomplet nometprenom nomprenom name firstname lastname fullname surname username fname ' +
    'lname client customer montant amount solde balance ville city adresse address telephone phone mobile email societe ' +
    'company entreprise date code reference'
  ).split(' '),
);
const SNAKE = /^\p{L}+(?:_\p{L}+)+$/u;

function placeholdersIn(text: string, names: ReadonlySet<string>, taken: Set<number>): TextDoubt[] {
  const isKnown = (inside: string): boolean => {
    const name = canonicalName(inside);
    return names.has(name) || USUAL.has(name) || SNAKE.test(inside);
  };
  const found: TextDoubt[] = [];
  const take = (pattern: RegExp, isMeant: (inside: string) => boolean): void => {
    for (const { 0: written, 1: inside = '', index } of text.matchAll(pattern)) {
      const places = Array.from(written, (_, at) => index + at);
      if (!isMeant(inside) || places.some((place) => taken.has(place))) continue;
      for (const place of places) taken.add(place);
      found.push({ reason: 'not_a_variable', written, meant: `{{${inside.trim()}}}` });
    }
  };
  const [triple, ...others] = SURE;
  if (triple) take(triple, () => true);
  for (const { 0: variable, index } of text.matchAll(/\{\{[^{}]*\}\}/gu))
    for (let at = 0; at < variable.length; at += 1) taken.add(index + at);
  for (const pattern of others) take(pattern, () => true);
  for (const pattern of WITH_A_NAME) take(pattern, isKnown);
  return found;
}

/** Text without spaces. A variable counts as one piece, even with spaces in it. */
const RUN = /(?:\{\{[^{}]*\}\}|\S)+/gu;
const LINK = /https?:\/\/|www\.|(?:[a-z0-9-]+\.)+[a-z]{2,}\//i;
/** A slash or a dash may be part of an address. */
const SIGNS_BEHIND = /[.,;:!?)\]»"'’”…>*]+$/u;

function touchedLinksIn(text: string): TextDoubt[] {
  return [...text.matchAll(RUN)].flatMap(([written]): TextDoubt[] => {
    const meant = written
      .split(/(\{\{[^{}]*\}\})/)
      .map((part) => (isStop(part) ? ` ${part} ` : part))
      .join('')
      .trim()
      .replace(/ {2,}/g, ' ');
    const apart = meant === written ? aroundLink(written) : meant;
    return apart === written ? [] : [{ reason: 'touched_link', written, meant: apart }];
  });
}

function isStop(part: string): boolean {
  return part.startsWith('{{') && canonicalName(part.slice(2, -2).split('|')[0] ?? '') === STOP;
}

function aroundLink(run: string): string {
  const at = LINK.exec(run)?.index ?? -1;
  if (at < 0) return run;
  const behind = SIGNS_BEHIND.exec(run.slice(at))?.[0] ?? '';
  const link = run.slice(at, run.length - behind.length);
  return [run.slice(0, at), link, behind].filter((part) => part !== '').join(' ');
}
