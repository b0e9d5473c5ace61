/** One search field: `/` from anywhere. */
import { type FormEvent, useEffect, useId, useRef } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { useWords } from '../parts/language.tsx';

/** Whether a key press is input for a field. */
export function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, dialog[open]') !== null;
}

export function SearchField() {
  const { shell } = useWords();
  const [, go] = useLocation();
  const [asked] = useSearchParams();
  const input = useRef<HTMLInputElement>(null);
  const field = useId();
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isAsked = event.key === '/' || (event.key === 'k' && (event.metaKey || event.ctrlKey));
      if (!isAsked || isTyping(event)) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const sought = input.current?.value.trim() ?? '';
    if (sought !== '') go(`/search?q=${encodeURIComponent(sought)}`);
  };
  return (
    <search className="min-w-0 flex-1">
      <form onSubmit={submit} className="max-w-xl">
        <label htmlFor={field} className="sr-only">
          {shell.search}: {shell.searchHint}
        </label>
        <input
          ref={input}
          id={field}
          type="search"
          className="field"
          placeholder={shell.searchHint}
          title={shell.searchKey}
          autoComplete="off"
          defaultValue={asked.get('q') ?? ''}
        />
      </form>
    </search>
  );
}
