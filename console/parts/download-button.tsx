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
  const [isFailed, setFailed] = useState(false);
  const run = async (): Promise<void> => {
    setUnderWay(true);
    setFailed(false);
    try {
      await download(id, asked, name);
    } catch {
      setFailed(true);
    } finally {
      setUnderWay(false);
    }
  };
  return (
    <div>
      <button type="button" className="button" disabled={isUnderWay} onClick={() => void run()}>
        {parts.download}
      </button>
      {isFailed && (
        <p role="alert" className="mt-1 text-bad">
          {trouble['no-answer']}
        </p>
      )}
    </div>
  );
}
