/** The displayed data as a table for a spreadsheet. */
import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { type Asked, type OperationId, Refused } from '../asking/ask.ts';
import { download } from '../asking/download.ts';
import { forgetPerson } from '../asking/queries.ts';
import type { Words } from '../words/words.ts';
import { useWords } from './language.tsx';

interface DownloadProps<Id extends OperationId> {
  readonly id: Id;
  readonly asked: Asked<Id>;
  /** The name of the file. */
  readonly name: string;
  /** The label of the button; default: that of every table. */
  readonly label?: string;
  /** Distinguishes several on a page. */
  readonly which?: string;
}

export function DownloadButton<Id extends OperationId>({ id, asked, name, label, which }: DownloadProps<Id>) {
  const words = useWords();
  const client = useQueryClient();
  const [isUnderWay, setUnderWay] = useState(false);
  const [wrong, setWrong] = useState<string>();
  const run = async (): Promise<void> => {
    setUnderWay(true);
    setWrong(undefined);
    try {
      await download(id, asked, name);
    } catch (error) {
      if (error instanceof Refused && error.status === 401) return forgetPerson(client);
      setWrong(whyIn(words, error));
    } finally {
      setUnderWay(false);
    }
  };
  return (
    <div>
      <button type="button" className="button" data-file={which} disabled={isUnderWay} onClick={() => void run()}>
        {label ?? words.parts.download}
      </button>
      {wrong !== undefined && (
        <p role="alert" className="mt-1 text-bad">
          {wrong}
        </p>
      )}
    </div>
  );
}

function whyIn({ ends, trouble }: Words, error: unknown): string | undefined {
  if (!(error instanceof Refused)) return trouble['no-answer'];
  return (
    ends.rules[error.problem.rule ?? ''] ?? ends.rules[error.word] ?? trouble[error.word] ?? trouble['no-answer']
  );
}
