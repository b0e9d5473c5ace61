/** Language and colours: native controls with immediate effect. */
import { useId } from 'react';
import { type Colours, useChoice } from '../parts/language.tsx';

const LANGUAGES = [
  ['fr', 'Français'],
  ['en', 'English'],
] as const;

export function LanguageChoice() {
  const { language, speak, words } = useChoice();
  const field = useId();
  return (
    <div className="min-w-0 flex-1">
      <label htmlFor={field} className="block text-sm text-quiet">
        {words.shell.language}
      </label>
      <select
        id={field}
        className="field px-2"
        value={language}
        onChange={({ target }) => speak(target.value === 'en' ? 'en' : 'fr')}
      >
        {LANGUAGES.map(([code, name]) => (
          <option key={code} value={code} lang={code}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

const COLOURS: readonly Colours[] = ['system', 'light', 'dark'];

export function ColourChoice() {
  const { colours, paint, words } = useChoice();
  const field = useId();
  return (
    <div className="min-w-0 flex-1">
      <label htmlFor={field} className="block text-sm text-quiet">
        {words.shell.colours}
      </label>
      <select
        id={field}
        className="field px-2"
        value={colours}
        onChange={({ target }) => paint(COLOURS.find((one) => one === target.value) ?? 'system')}
      >
        {COLOURS.map((one) => (
          <option key={one} value={one}>
            {words.shell.colour[one]}
          </option>
        ))}
      </select>
    </div>
  );
}
