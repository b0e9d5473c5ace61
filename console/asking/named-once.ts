/** An idempotency key for a request, so that a retry after a lost answer has no second effect. */
import { useRef } from 'react';

interface Names {
  /** Equal for equal content until it was answered; other content is another request. */
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
