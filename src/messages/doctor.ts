/** What the doctor says to people. Its findings are English where they are found, with their French under the English. */
import { someInFrench } from './counts.ts';
import { frenchChecks, frenchFindings } from './french-doctor.ts';
import { type Language, wordFor } from './languages.ts';
import { type Said, filled } from './said.ts';
import { refusalInFrench } from './refusals.ts';
import { translated } from './told.ts';

interface DoctorWords {
  readonly check: (name: string) => string;
  readonly say: (said: Said) => string;
  readonly faults: (count: number) => string;
}

const english: DoctorWords = {
  check: (name) => name,
  say: ({ sentence, values }) => filled(sentence, values),
  faults: (count) => (count === 0 ? 'No fault was found.' : `${count} ${count === 1 ? 'fault' : 'faults'}.`),
};

const french: DoctorWords = {
  check: (name) => wordFor(frenchChecks, name),
  say: ({ sentence, values }) => {
    // What the service answered has a sentence of its own in it.
    const inFrench = Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? wordFor(translated, value) : value,
    ]);
    const known = Object.hasOwn(frenchFindings, sentence);
    const own = known ? wordFor(frenchFindings, sentence) : (refusalInFrench(sentence) ?? sentence);
    return filled(own, Object.fromEntries(inFrench));
  },
  faults: (count) => (count === 0 ? 'Aucun problème trouvé.' : `${someInFrench(count, 'problème', 'problèmes')}.`),
};

export function doctorWords(language: Language = 'en'): DoctorWords {
  return language === 'fr' ? french : english;
}
