/** HTML that is escaped unless it was created here. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = Html | string | number | undefined | readonly Piece[];

export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(strings.map((text, index) => `${text}${rendered(pieces[index])}`).join(''));
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

function rendered(piece: Piece): string {
  if (piece === undefined) return '';
  if (piece instanceof Html) return piece.text;
  if (typeof piece === 'object') return piece.map(rendered).join('');
  return escaped(String(piece));
}

/** Paragraphs, **strong** and `code`: the Markdown that our descriptions use. */
export function prose(text = ''): Html {
  const paragraphs = text.split('\n\n').filter((paragraph) => paragraph !== '');
  return new Html(paragraphs.map((paragraph) => `<p>${inline(paragraph).text}</p>`).join(''));
}

export function inline(text = ''): Html {
  const safe = escaped(text);
  return new Html(safe.replace(/`([^`]+)`/g, '<code>$1</code>').replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>'));
}

export function code(value: unknown): Html {
  return html`<pre><code>${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</code></pre>`;
}
