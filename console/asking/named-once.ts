/** A name for what is asked, so that asked again after no answer it is done once. */
import { useRef } from 'react';

interface Names {
  /** The same for the same words until they were answered; other words are something else. */
  readonly nameOf: (asked: object) => string;
  readonly answered: (asked: object) => void;
}

export function useNamesOnce(): Names {
  const names = useRef(new Map<string, string>());
  return {
    nameOf: (asked) => {
      const words = JSON.stringify(asked);
      const name = names.current.get(words) ?? crypto.randomUUID();
      names.current.set(words, name);
      return name;
    },
    answered: (asked) => void names.current.delete(JSON.stringify(asked)),
  };
}
