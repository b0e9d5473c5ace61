import { type DragEvent, useId, useState } from 'react';
import { TAKEN } from '../asking/upload.ts';

interface FileFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly onFile: (file: File) => void;
}

/** One field for both: it works without a mouse, and a file dropped next to it opens no other page. */
export function FileField({ label, hint, onFile }: FileFieldProps) {
  const field = useId();
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const file = event.dataTransfer.files[0];
    if (file) onFile(file);
  };
  return (
    <div
      className={`rounded-xl border-2 border-dashed p-6 text-center ${isOver ? 'border-accent bg-accent-soft' : 'border-strong-line'}`}
      data-drop=""
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <label htmlFor={field} className="mb-3 block text-lg font-medium">
        {label}
      </label>
      <input
        id={field}
        type="file"
        accept={TAKEN}
        aria-describedby={`${field}-hint`}
        className="file-field mx-auto block max-w-full"
        onChange={({ target }) => {
          const file = target.files?.[0];
          if (file) onFile(file);
          // The same file may be chosen again after a correction.
          target.value = '';
        }}
      />
      <p id={`${field}-hint`} className="mx-auto mt-3 max-w-xl text-sm text-quiet">
        {hint}
      </p>
    </div>
  );
}
