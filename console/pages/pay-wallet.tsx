/** A wallet, chosen by country: the same wallet in another country is another one. */
import { withdrawModes } from '../../src/provider/capabilities.ts';
import { Labelled } from '../parts/field.tsx';
import { useFormWords } from '../parts/form-words.ts';
import { useWords } from '../parts/language.tsx';
import { countryIn, countryOfMode, walletIn } from '../parts/wallet.tsx';

interface WalletFieldProps {
  readonly label: string;
  readonly value: string;
  readonly set: (mode: string) => void;
  readonly wrong?: string | undefined;
}

const OF_PROVIDER = 'service';
const countryOf = (mode: string): string => countryOfMode(mode) ?? OF_PROVIDER;
const MODES = Object.keys(withdrawModes);
/** Accounts at the provider come last: few people are paid so. */
const COUNTRIES = [...new Set(MODES.map(countryOf))].toSorted(
  (one, other) => Number(one === OF_PROVIDER) - Number(other === OF_PROVIDER),
);

export function WalletField({ label, value, set, wrong }: WalletFieldProps) {
  const words = useWords();
  const { pay } = useFormWords();
  return (
    <Labelled label={label} wrong={wrong}>
      {(told) => (
        <select {...told} value={value} onChange={({ target }) => set(target.value)}>
          <option value="">{pay.chooseWallet}</option>
          {COUNTRIES.map((country) => (
            <optgroup key={country} label={countryIn(words, country)}>
              {MODES.filter((mode) => countryOf(mode) === country).map((mode) => (
                <option key={mode} value={mode}>
                  {walletIn(words, mode)}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      )}
    </Labelled>
  );
}
