/** Accounts, their holds, and the switches that stop and resume sending. */
import type { Answer } from '../asking/ask.ts';
import { useAct } from '../asking/acts.ts';
import { useAsk } from '../asking/queries.ts';
import { useSession } from '../asking/session.tsx';
import { AskFirst } from '../parts/act.tsx';
import { AsOf, Since } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Notice, Page, Read, Section } from '../parts/page.tsx';
import { Reason } from '../parts/reason.tsx';
import { Sign } from '../parts/state.tsx';

type Account = Answer<'listAccounts'>['items'][number];

export function Accounts() {
  const { shell, pages } = useWords();
  const accounts = useAsk('listAccounts', {}, { everyMs: 5_000 });
  return (
    <Page title={shell.holds}>
      <Read of={accounts}>
        {({ items }, at) => (
          <>
            {items.length === 0 && <Notice>{pages.accounts.none}</Notice>}
            {items.map((account) => (
              <One key={account.name} account={account} />
            ))}
            <AsOf at={at} />
          </>
        )}
      </Read>
    </Page>
  );
}

function One({ account: { name, held } }: { readonly account: Account }) {
  const words = useWords();
  const { may } = useSession();
  const says = words.pages.accounts;
  return (
    <Section title={name}>
      {held.length === 0 ? (
        <p className="flex items-center gap-2 text-done" data-account={name} data-holds="0">
          <Sign tone="done" /> {says.goesOn}
        </p>
      ) : (
        <ul className="divide-y divide-line" data-account={name} data-holds={held.length}>
          {held.map(({ area, reason, since, came }) => (
            <li key={`${area}${reason}`} className="py-2.5">
              <p className="flex flex-wrap items-center justify-between gap-2 font-medium">
                {words.areas[area] ?? area}
                <span className="inline-flex items-center gap-1.5 rounded-full bg-held-soft px-2 py-0.5 text-sm text-held">
                  <Sign tone="held" /> <Since at={since} />
                </span>
              </p>
              <p className="text-quiet">
                <Reason word={reason} />
              </p>
              {came !== undefined && <p className="text-sm text-quiet break-words">{came}</p>}
            </li>
          ))}
        </ul>
      )}
      {may('operate') && (
        <div className="mt-4 flex flex-wrap gap-3">
          {held.length > 0 && <Turn act="releaseAccount" name={name} label={says.release} says={says.releaseSays} />}
          {held.every(({ reason }) => reason !== 'stopped') && (
            <Turn act="stopAccount" name={name} label={says.stop} says={says.stopSays} grave />
          )}
        </div>
      )}
    </Section>
  );
}

interface TurnProps {
  readonly act: 'stopAccount' | 'releaseAccount';
  readonly name: string;
  readonly label: string;
  readonly says: string;
  readonly grave?: boolean;
}

function Turn({ act: which, name, label, says, grave = false }: TurnProps) {
  const doing = useAct(which);
  const title = `${label} (${name})`;
  const look = grave ? 'grave' : 'main';
  return <AskFirst doing={doing} onYes={() => doing.act({ name })} {...{ label, title, says, look }} name={which} />;
}
