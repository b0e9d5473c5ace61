import { type FormWords, formsIn } from '../words/forms.ts';
import { useChoice } from './language.tsx';

export const useFormWords = (): FormWords => formsIn(useChoice().language);
