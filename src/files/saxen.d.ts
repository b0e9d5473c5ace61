/** The used part of the package `saxen`, which has no types of its own. */
declare module 'saxen' {
  type Decode = (text: string) => string;

  interface Hooks {
    openTag: (name: string, attributes: () => Readonly<Record<string, string>>, decode: Decode) => void;
    closeTag: (name: string) => void;
    text: (text: string, decode: Decode) => void;
    cdata: (text: string) => void;
    attention: (text: string) => void;
    error: (error: Error) => void;
  }

  export class Parser {
    /** Prefixes by namespace: names get these, whichever the document uses. */
    ns(prefixes: Readonly<Record<string, string>>): this;
    on<Name extends keyof Hooks>(name: Name, hook: Hooks[Name]): this;
    write(text: string): unknown;
    end(): unknown;
  }
}
