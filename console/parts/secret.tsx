/** A secret that is shown only here: only its button closes it, never Escape or a click outside. */
import { useState } from 'react';
import { Dialog } from './act.tsx';
import { useWords } from './language.tsx';

interface SecretProps {
  readonly title: string;
  readonly secret: string;
  readonly onKept: () => void;
}

export function Secret({ title, secret, onKept }: SecretProps) {
  const { desk } = useWords();
  const [copied, setCopied] = useState<'yes' | 'no'>();
  const copy = (): void => {
    navigator.clipboard.writeText(secret).then(
      () => setCopied('yes'),
      // A browser may deny clipboard access; then the user selects and copies it.
      () => setCopied('no'),
    );
  };
  return (
    <Dialog title={title}>
      <p>{desk.secretOnce}</p>
      <output data-secret className="my-4 block rounded-lg bg-sunk p-3 font-mono break-all select-all">
        {secret}
      </output>
      <p role="status" className="min-h-6 text-sm text-quiet">
        {copied !== undefined && (copied === 'yes' ? desk.copied : desk.notCopied)}
      </p>
      <div className="mt-4 flex flex-wrap justify-end gap-3">
        <button type="button" className="button" onClick={copy}>
          {desk.copy}
        </button>
        <button type="button" className="button button-main" data-act="kept" onClick={onKept}>
          {desk.kept}
        </button>
      </div>
    </Dialog>
  );
}
