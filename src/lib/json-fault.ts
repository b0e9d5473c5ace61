/**
 * Where a text stops being JSON. The message of `JSON.parse` names the position only in some cases. It also repeats
 * the text, which can contain a phone number.
 */

export interface JsonFault {
  /** From 1. */
  readonly line: number;
  readonly column: number;
  /** The text ends before its value is complete. */
  readonly isEnd: boolean;
}

/** Precondition: the text is not JSON. */
export function jsonFault(text: string): JsonFault {
  const at = new Walk(text).run();
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, isEnd: at >= text.length };
}

type Next = 'value' | 'value or ]' | 'name' | 'name or }' | 'colon' | 'comma or end' | 'nothing';

const WORD = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SPACE = /[ \t\r\n]*/y;

/** Skips valid JSON and stops at the first error. */
class Walk {
  readonly #text: string;
  readonly #open: ('{' | '[')[] = [];
  #at = 0;
  #next: Next = 'value';

  constructor(text: string) {
    this.#text = text;
  }

  run(): number {
    do this.#skip(SPACE);
    while (this.#at < this.#text.length && this.#step());
    return this.#at;
  }

  #step(): boolean {
    const char = this.#text[this.#at] ?? '';
    const inside = this.#open.at(-1);
    if (this.#next === 'colon') return char === ':' && this.#take('value');
    if (this.#next === 'comma or end') {
      if (char === ',') return this.#take(inside === '{' ? 'name' : 'value');
      return char === (inside === '{' ? '}' : ']') && this.#close();
    }
    if (this.#next === 'name' || this.#next === 'name or }') {
      if (char === '}' && this.#next === 'name or }') return this.#close();
      return char === '"' && this.#string() && this.#then('colon');
    }
    return this.#next !== 'nothing' && this.#value(char);
  }

  #value(char: string): boolean {
    if (char === ']' && this.#next === 'value or ]') return this.#close();
    if (char === '{' || char === '[') {
      this.#open.push(char);
      return this.#take(char === '{' ? 'name or }' : 'value or ]');
    }
    return (char === '"' ? this.#string() : this.#skip(WORD)) && this.#then(this.#afterValue());
  }

  #close(): boolean {
    this.#open.pop();
    return this.#take(this.#afterValue());
  }

  #afterValue(): Next {
    return this.#open.length > 0 ? 'comma or end' : 'nothing';
  }

  #take(next: Next): boolean {
    this.#at += 1;
    return this.#then(next);
  }

  #then(next: Next): boolean {
    this.#next = next;
    return true;
  }

  /** False at a character that a string must not contain, and at the end. */
  #string(): boolean {
    for (this.#at += 1; this.#at < this.#text.length; this.#at += 1) {
      const char = this.#text[this.#at] ?? '';
      if (char === '"') return this.#take(this.#next);
      if (char < ' ') return false;
      if (char !== '\\') continue;
      if (!this.#skip(ESCAPE)) return false;
      this.#at -= 1;
    }
    return false;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    this.#at += found?.length ?? 0;
    return found !== undefined;
  }
}
