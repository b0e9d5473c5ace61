/**
 * The default after the bar of `{{name|default}}`. Template languages with filters write it as `default("client")`,
 * and a bare word is a function there. An SMS must never contain such code.
 */

const QUOTED = String.raw`"([^"]*)"|'([^']*)'|“([^”]*)”|‘([^’]*)’|«\s*([^»]*?)\s*»`;
const IN_QUOTES = new RegExp(`^(?:${QUOTED})$`);
const CALLED = new RegExp(String.raw`^default\s*(?:\(\s*(?:${QUOTED})\s*\)|:?\s*(?:${QUOTED}))$`, 'i');

/** Functions of Liquid, Jinja, Twig, Handlebars and Mustache that change one value. */
const FILTERS =
  'abs|append|capfirst|capitalize|ceil|currency|date|date_format|default|default_if_none|downcase|e|escape|first|floor|' +
  'format|html|join|json|last|length|lower|lowercase|money|nl2br|number_format|prepend|raw|replace|round|safe|size|slice|' +
  'split|strip|strip_html|striptags|title|titlecase|title_case|trim|truncate|upcase|upper|uppercase|urlencode|url_encode';
const BARE_FILTER = new RegExp(String.raw`^(?:${FILTERS})\s*(?:[:(].*)?$`, 'is');
/** A function outside this list, with a quoted argument or none: `client(e)` is a word, not a function. */
const CALL = /^[a-z_]\w*\s*(?:\(\s*(?:["'].*)?\)|:\s*["'].*)$/is;

/** Undefined: not a default, but template code that relais does not support. */
export function readDefault(written: string): string | undefined {
  const text = written.trim();
  const [, ...inside] = IN_QUOTES.exec(text) ?? CALLED.exec(text) ?? [];
  const quoted = inside.find((part) => part !== undefined);
  if (quoted !== undefined) return quoted;
  const isCode = text.split('|').some((part) => isFilter(part.trim())) || /^(?:["“«|]|'.*'|‘.*’)/s.test(text);
  return isCode ? undefined : text;
}

function isFilter(part: string): boolean {
  return BARE_FILTER.test(part) || CALL.test(part);
}
