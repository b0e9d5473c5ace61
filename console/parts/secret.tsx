/** A secret that is shown only here: only its button closes it, never Escape or a click outside. */
import { Dialog } from './act.tsx';
import { CopyButton } from './copy-button.tsx';
import { useWords } from './language.tsx';

interface SecretProps {
  readonly title: string;
  readonly secret: string;
  readonly onKept: () => void;
}

export function Secret({ title, secret, onKept }: SecretProps) {
  const { desk } = useWords();
  return (
    <Dialog title={title}>
      <p>{desk.secretOnce}</p>
      <output data-secret className="my-4 block rounded-lg bg-sunk p-3 font-mono break-all select-all">
        {secret}
      </output>
      <div className="mt-4 flex flex-wrap justify-end gap-3">
        <CopyButton text={secret} />
        <button type="button" className="button button-main" data-act="kept" onClick={onKept}>
          {desk.kept}
        </button>
      </div>
    </Dialog>
  );
}
