import { useState } from 'react';
import { useWords } from './language.tsx';

export function CopyButton({ text }: { readonly text: string }) {
  const { desk } = useWords();
  const [copied, setCopied] = useState<'yes' | 'no'>();
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setCopied('yes'),
      // A browser may deny clipboard access; then the user selects and copies it.
      () => setCopied('no'),
    );
  };
  return (
    <div>
      <button type="button" className="button" data-act="copy" onClick={copy}>
        {desk.copy}
      </button>
      <p role="status" className="text-sm text-quiet empty:hidden">
        {copied !== undefined && (copied === 'yes' ? desk.copied : desk.notCopied)}
      </p>
    </div>
  );
}
