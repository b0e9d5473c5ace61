/** The text of one row, rendered and counted by the code of relais. */
import { cheaperText, costlyIn, countSegments, replacementFor } from '../../src/lib/segments.ts';
import { UnusableTemplate, canonicalName, requireUsable, wordingOf } from '../../src/lib/wording.ts';

interface Given {
  readonly replaceCostly?: boolean;
  /** By the columns of the file. */
  readonly values?: Readonly<Record<string, string>> | undefined;
  /** The length of the opt-out link in the text. */
  readonly link?: number | undefined;
}

interface Costly {
  readonly character: string;
  readonly replacement: string | undefined;
}

export type Rendered =
  | { readonly is: 'unusable'; readonly why: UnusableTemplate['code'] }
  | {
      readonly is: 'text';
      readonly text: string;
      readonly characters: number;
      readonly segments: number;
      readonly encoding: string;
      readonly variables: readonly string[];
      readonly optional: ReadonlySet<string>;
      readonly costly: readonly Costly[];
      /** Segments that plain characters would save. */
      readonly saved: number;
    };

const LINK = 40;

export function rendered(text: string, { replaceCostly = false, values = {}, link = LINK }: Given): Rendered {
  try {
    requireUsable(text);
    const wording = wordingOf({ text });
    const { variables, optional } = wording;
    const named = Object.fromEntries(Object.entries(values).map(([name, value]) => [canonicalName(name), value]));
    const asWritten = wording.textFor({
      stop: 'https://…/'.padEnd(link, 'x').slice(0, link).replace('…', 'x'),
      ...named,
    });
    const cheaper = cheaperText(asWritten);
    const sent = replaceCostly ? cheaper : asWritten;
    const { segments, encoding } = countSegments(sent);
    const costly = [...costlyIn(asWritten)].map((character) => ({
      character,
      replacement: replacementFor(character),
    }));
    const saved = countSegments(asWritten).segments - countSegments(cheaper).segments;
    return {
      is: 'text',
      text: sent,
      characters: sent.length,
      segments,
      encoding,
      variables,
      optional,
      costly,
      saved,
    };
  } catch (error) {
    if (error instanceof UnusableTemplate) return { is: 'unusable', why: error.code };
    throw error;
  }
}
