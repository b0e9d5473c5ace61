/** The acts of users, and whether the log is unchanged. */
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { type Answer, ask } from '../asking/ask.ts';
import { kindOf, pageOf } from '../asking/kinds.ts';
import { usePages } from '../asking/queries.ts';
import { Arrow } from '../parts/arrow.tsx';
import { AsOf, Moment, countIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Failed, Page, Section } from '../parts/page.tsx';
import { Paged } from '../parts/paged.tsx';
import { Sign } from '../parts/state.tsx';
import { Cell, Line, Table } from '../parts/table.tsx';

type Item = Answer<'listAudit'>['items'][number];

export function Audit() {
  const { shell } = useWords();
  return (
    <Page title={shell.audit}>
      <Verification />
      <Lines />
    </Page>
  );
}

/** The verification reads all lines, so the user starts it. */
function Verification() {
  const { desk } = useWords();
  const says = desk.audit;
  const verdict = useQuery({
    queryKey: ['verifyAudit'],
    queryFn: ({ signal }) => ask('verifyAudit', {}, signal),
    enabled: false,
  });
  return (
    <Section
      title={says.whole}
      beside={
        <button
          type="button"
          data-act="verifyAudit"
          className="button"
          disabled={verdict.isFetching}
          onClick={() => void verdict.refetch()}
        >
          {verdict.isFetching ? says.verifying : says.verify}
        </button>
      }
    >
      {verdict.error !== null && <Failed error={verdict.error} again={() => void verdict.refetch()} />}
      {verdict.data === undefined ? (
        <p className="text-quiet">{says.wholeSays}</p>
      ) : (
        <Verdict verdict={verdict.data} at={verdict.dataUpdatedAt} />
      )}
    </Section>
  );
}

function Verdict({ verdict, at }: { readonly verdict: Answer<'verifyAudit'>; readonly at: number }) {
  const words = useWords();
  const says = words.desk.audit;
  const { fits, lines, sealedTo, fault } = verdict;
  return (
    <div role="status" data-fits={fits}>
      <p className={`flex items-center gap-2 ${fits ? 'text-done' : 'text-bad'}`}>
        <Sign tone={fits ? 'done' : 'bad'} />
        {fits ? says.fits(countIn(words, lines)) : says.doesNot(fault?.id ?? '')}
      </p>
      {fault && (
        <p lang="en" className="mt-1">
          {fault.why}
        </p>
      )}
      <p className="mt-1 text-sm text-quiet">{sealedTo === null ? says.notSealed : says.sealedTo(sealedTo)}</p>
      <AsOf at={at} />
    </div>
  );
}

function Lines() {
  const { desk } = useWords();
  const says = desk.audit;
  const list = usePages('listAudit', {});
  const columns = [
    { name: says.when },
    { name: says.person },
    { name: says.what },
    { name: says.change, wide: true },
  ];
  return (
    <Section title={says.lines}>
      <Paged of={list}>
        {(pages) => (
          <Table caption={says.lines} columns={columns}>
            {pages
              .flatMap(({ items }) => items)
              .map((line) => (
                <One key={line.id} line={line} />
              ))}
          </Table>
        )}
      </Paged>
    </Section>
  );
}

function One({ line }: { readonly line: Item }) {
  const { desk } = useWords();
  const { id, at, by, person, source, act, target, before, after } = line;
  return (
    <Line data-row={id}>
      <Cell>
        <Moment at={at} seconds />
      </Cell>
      <Cell>
        <span className="break-all">{person ?? desk.by(by)}</span>
        <span className="block text-sm text-quiet">
          {person === null ? '' : `${by}, `}
          {desk.audit.sources[source] ?? source}
        </span>
      </Cell>
      <Cell>
        {desk.acts[act] ?? act}
        {target !== null && <Target id={target} />}
        <span className="block md:hidden">
          <Change before={before} after={after} />
        </span>
      </Cell>
      <Cell wide>
        <Change before={before} after={after} />
      </Cell>
    </Line>
  );
}

function Target({ id }: { readonly id: string }) {
  const text = 'block text-sm break-all';
  return kindOf(id) === undefined ? (
    <span className={`${text} text-quiet`}>{id}</span>
  ) : (
    <Link to={pageOf(id)} className={`${text} link`}>
      {id}
    </Link>
  );
}

type Facts = Item['before'];

const said = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** State before and after; unchanged facts are shown only in one of them. */
function Change({ before, after }: { readonly before: Facts; readonly after: Facts }) {
  const { desk } = useWords();
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return (
    <span className="text-sm break-all text-quiet">
      {names.map((name) => (
        <span key={name} className="block">
          {desk.audit.facts[name] ?? name}:{' '}
          {before?.[name] !== undefined && (
            <>
              {said(before[name])} <Arrow to="right" />{' '}
            </>
          )}
          {after?.[name] === undefined ? '' : said(after[name])}
        </span>
      ))}
    </span>
  );
}
