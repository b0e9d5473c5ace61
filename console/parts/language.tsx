/** Language and colours: the only data stored in the browser. */
import {
  createContext,
  type ReactNode,
  use,
  useCallback,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import { type Language, type Words, languageOf, wordsIn } from '../words/words.ts';

export type Colours = 'system' | 'light' | 'dark';

interface Choice {
  readonly language: Language;
  readonly words: Words;
  readonly speak: (language: Language) => void;
  readonly colours: Colours;
  readonly paint: (colours: Colours) => void;
}

const Context = createContext<Choice | undefined>(undefined);

export function useChoice(): Choice {
  const choice = use(Context);
  if (choice === undefined) throw new Error('There are no words here.');
  return choice;
}

export const useWords = (): Words => useChoice().words;

/** A browser may refuse storage; then the choice is repeated at each visit. */
function kept(name: string): string | null {
  try {
    return localStorage.getItem(`relais.${name}`);
  } catch {
    return null;
  }
}

function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`relais.${name}`, value);
  } catch {
    // An unsaved choice lasts until the page is closed.
  }
}

const darkness = matchMedia('(prefers-color-scheme: dark)');

function useDarkDevice(): boolean {
  return useSyncExternalStore(
    (told) => {
      darkness.addEventListener('change', told);
      return () => darkness.removeEventListener('change', told);
    },
    () => darkness.matches,
  );
}

export function Choosing({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage);
  const [colours, setColours] = useState<Colours>(() => coloursOf(kept('colours')));
  const isDarkDevice = useDarkDevice();
  const isDark = colours === 'dark' || (colours === 'system' && isDarkDevice);
  useEffect(() => {
    document.documentElement.lang = language;
    document.documentElement.dataset['colours'] = isDark ? 'dark' : 'light';
  }, [language, isDark]);
  const speak = useCallback((wish: Language) => {
    keep('language', wish);
    document.documentElement.lang = wish;
    setLanguage(wish);
  }, []);
  const paint = useCallback((wish: Colours) => {
    keep('colours', wish);
    setColours(wish);
  }, []);
  const choice = useMemo(
    () => ({ language, words: wordsIn(language), speak, colours, paint }),
    [language, speak, colours, paint],
  );
  return <Context value={choice}>{children}</Context>;
}

/** Set before any request: answers depend on it. */
function firstLanguage(): Language {
  const language = languageOf(kept('language'), navigator.language);
  document.documentElement.lang = language;
  return language;
}

function coloursOf(text: string | null): Colours {
  return text === 'light' || text === 'dark' ? text : 'system';
}
