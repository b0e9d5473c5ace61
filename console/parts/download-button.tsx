/** What is shown, as a table for a spreadsheet. */
import { useState } from 'react';
import type { Asked, OperationId } from '../asking/ask.ts';
import { download } from '../asking/download.ts';
import { useWords } from './language.tsx';

interface DownloadProps<Id extends OperationId> {
  readonly id: Id;
  readonly asked: Asked<Id>;
  /** Of the file. */
  readonly name: string;
}

export function DownloadButton<Id extends OperationId>({ id, asked, name }: DownloadProps<Id>) {
  const { parts, trouble } = useWords();
  const [isUnderWay, setUnderWay] = useState(false);
  const [wrong, setWrong] = useState<'failed' | 'incomplete'>();
  const run = async (): Promise<void> => {
    setUnderWay(true);
    setWrong(undefined);
    try {
      if (await download(id, asked, name)) setWrong('incomplete');
    } catch {
      setWrong('failed');
    } finally {
      setUnderWay(false);
    }
  };
  return (
    <div>
      <button type="button" className="button" disabled={isUnderWay} onClick={() => void run()}>
        {parts.download}
      </button>
      {wrong && (
        <p role="alert" className="mt-1 text-bad">
          {wrong === 'failed' ? trouble['no-answer'] : parts.incompleteFile}
        </p>
      )}
    </div>
  );
}
