/** A field: its name above it, and help below it. */
import { type InputHTMLAttributes, type ReactNode, useEffect, useId } from 'react';
import { useAsk } from '../asking/queries.ts';
import { useWords } from './language.tsx';

interface Told {
  readonly id: string;
  readonly className: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: true;
}

interface LabelledProps {
  readonly label: string;
  readonly hint?: string | undefined;
  /** Why relais refuses its value. */
  readonly wrong?: string | undefined;
  readonly children: (told: Told) => ReactNode;
}

export function Labelled({ label, hint, wrong, children }: LabelledProps) {
  const id = useId();
  const names = [...(hint === undefined ? [] : [`${id}-hint`]), ...(wrong === undefined ? [] : [`${id}-wrong`])];
  const described = {
    ...(names.length === 0 ? {} : { 'aria-describedby': names.join(' ') }),
    ...(wrong === undefined ? {} : { 'aria-invalid': true as const }),
  };
  return (
    <div className="mt-4 first:mt-0">
      <label htmlFor={id} className="mb-1 block font-medium">
        {label}
      </label>
      {children({ id, className: wrong === undefined ? 'field' : 'field border-bad', ...described })}
      {wrong !== undefined && (
        <p id={`${id}-wrong`} className="mt-1 font-medium text-bad" data-wrong="">
          {wrong}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="mt-1 text-sm text-quiet">
          {hint}
        </p>
      )}
    </div>
  );
}

type Given = Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onChange' | 'className' | 'id'>;

interface FieldProps extends Given {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly wrong?: string | undefined;
  readonly value: string;
  readonly set: (value: string) => void;
}

export function Field({ label, hint, wrong, value, set, ...given }: FieldProps) {
  return (
    <Labelled label={label} hint={hint} wrong={wrong}>
      {(told) => <input {...told} {...given} value={value} onChange={({ target }) => set(target.value)} />}
    </Labelled>
  );
}

interface BoxesProps<T extends string> {
  readonly label: string;
  readonly hint?: string;
  readonly of: readonly T[];
  readonly words: (one: T) => string;
  readonly chosen: readonly T[];
  readonly choose: (chosen: readonly T[]) => void;
}

/** Several choices. */
export function Boxes<T extends string>({ label, hint, of: all, words, chosen, choose }: BoxesProps<T>) {
  const turn = (one: T): void => choose(all.filter((other) => chosen.includes(other) !== (other === one)));
  return (
    <fieldset className="mt-4 first:mt-0">
      <legend className="mb-1 font-medium">{label}</legend>
      <div className="flex flex-wrap gap-x-5">
        {all.map((one) => (
          <label key={one} className="flex min-h-11 cursor-pointer items-center gap-2">
            <input
              type="checkbox"
              className="size-5 shrink-0 accent-accent"
              checked={chosen.includes(one)}
              onChange={() => turn(one)}
            />
            {words(one)}
          </label>
        ))}
      </div>
      {hint !== undefined && <p className="text-sm text-quiet">{hint}</p>}
    </fieldset>
  );
}

interface AccountProps {
  readonly account: string;
  readonly choose: (account: string) => void;
}

/** The accounts of the key; with a single one there is no choice. */
export function AccountChoice({ account, choose }: AccountProps) {
  const { desk } = useWords();
  const names = useAsk('listAccounts', {}).data?.items.map(({ name }) => name) ?? [];
  const first = names[0];
  const isKnown = names.length === 0 || names.includes(account);
  useEffect(() => {
    if (!isKnown && first !== undefined) choose(first);
  });
  if (names.length < 2) return null;
  return (
    <div className="mb-4 max-w-xs">
      <Labelled label={desk.account}>
        {(told) => (
          <select {...told} value={account} onChange={({ target }) => choose(target.value)}>
            {names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
      </Labelled>
    </div>
  );
}
