import { render } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { shortSha, STATUS_TONES } from '../report/sections/phrases.ts';
import { count } from '../text/amounts.ts';
import { Attributes } from './attributes.tsx';
import { Blocks } from './blocks.tsx';
import { Costs } from './costs.tsx';
import { unpackView, type View } from './data.ts';
import { Metrics, Suites } from './figures.tsx';
import { Tests } from './list.tsx';
import { ReportContext, reportOf, useReport, type Report } from './report.ts';
import { Face, Glance } from './row.tsx';
import { NO_FILTER, type Filter, type Test } from './tests.ts';
import './viewer.css';

interface Tab {
  name: string;
  words: string;
  isEmpty: boolean;
}

function tabsOf({ tests, result, blocks }: Omit<Report, 'showTests'>): Tab[] {
  const { suites, attributes, usage } = result;
  return [
    { name: 'tests', words: `Tests (${count(tests.length)})`, isEmpty: tests.length === 0 },
    { name: 'suites', words: 'Suites', isEmpty: suites.length === 0 },
    {
      name: 'attributes',
      words: 'Groups',
      isEmpty: attributes.length + blocks.groups.length === 0,
    },
    { name: 'metrics', words: 'Metrics', isEmpty: suites.length + blocks.metrics.length === 0 },
    { name: 'costs', words: 'Calls and cost', isEmpty: usage.calls + usage.reused === 0 },
    { name: 'more', words: 'More', isEmpty: blocks.more.length === 0 },
  ].filter(({ isEmpty }) => !isEmpty);
}

function addressParts(): string[] {
  return location.hash.slice(1).split('/');
}

function App({ view, isPrinted }: { view: View; isPrinted: boolean }) {
  const report = useMemo(() => reportOf(view), [view]);
  const [address, setAddress] = useState(addressParts);
  const [filter, setFilter] = useState<Filter>(NO_FILTER);
  useEffect(() => {
    const read = () => setAddress(addressParts());
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  const showTests = (part: Partial<Filter>) => {
    setFilter({ ...NO_FILTER, ...part });
    location.hash = 'tests';
    document.querySelector('nav')?.scrollIntoView();
  };
  const tabs = tabsOf(report);
  const current = tabs.find(({ name }) => name === address[0])?.name ?? tabs[0]?.name;
  const { result, blocks, links, left } = report;
  const { base, head, mode } = result;
  const [sign] = blocks.top.flatMap((block) =>
    block.kind === 'paragraph' ? block.line.filter((part) => part.kind === 'sign') : [],
  );
  return (
    <ReportContext.Provider value={{ ...report, showTests }}>
      <header>
        <span>
          <b>evaldiff</b> {mode === 'diff' ? 'base against head' : 'full sweep'}
        </span>
        <span>
          {[base, head].flatMap((side) => (side === null ? [] : shortSha(side.sha))).join(' … ')}
        </span>
      </header>
      <main>
        <section class={`verdict ${sign?.tone ?? ''}`}>
          <Blocks blocks={blocks.top.slice(0, 2)} links={links} />
          <Worst test={report.tests[0]} />
          <Blocks blocks={blocks.top.slice(2)} links={links} />
        </section>
        {left !== null && <p class="soft">{left}</p>}
        {tabs.length > 1 && (
          <nav aria-label="Parts of the report">
            {tabs.map(({ name, words }) => (
              <a href={`#${name}`} aria-current={name === current ? 'page' : undefined}>
                {words}
              </a>
            ))}
          </nav>
        )}
        {tabs.map(
          ({ name }) =>
            (isPrinted || name === current) && (
              <Part name={name} {...{ address, filter, setFilter, isPrinted }} />
            ),
        )}
      </main>
      <footer>
        <Blocks blocks={blocks.footer} links={links} />
      </footer>
    </ReportContext.Provider>
  );
}

/** In pixels: the height of a row with both answers. */
const ROOM = 130;

/** Shows the worst test on top if the list begins below the first screen. */
function Worst({ test }: { test: Test | undefined }) {
  const [isShown, show] = useState(false);
  useLayoutEffect(() => {
    const top = document.querySelector('.rows')?.getBoundingClientRect().top ?? 0;
    if (top + window.scrollY > innerHeight - ROOM) show(true);
  }, []);
  return test === undefined || !isShown || STATUS_TONES[test.reference.status] !== 'bad' ? null : (
    <div class="worst">
      <a href={`#test/${test.key}`}>
        <Face test={test} />
      </a>
      <Glance test={test} />
    </div>
  );
}

type PartProps = Parameters<typeof Tests>[0] & { name: string };

function Part({ name, ...list }: PartProps) {
  const { blocks, links } = useReport();
  switch (name) {
    case 'tests':
      return <Tests {...list} />;
    case 'suites':
      return <Suites />;
    case 'attributes':
      return <Attributes />;
    case 'metrics':
      return <Metrics />;
    case 'costs':
      return <Costs />;
    default:
      return (
        <section>
          <h2>More</h2>
          <Blocks blocks={blocks.more} links={links} />
        </section>
      );
  }
}

const INCOMPLETE =
  'This file is incomplete, so it cannot be shown. Download it again, or open the run’s result.json with: npx evaldiff view result.json';

async function start(): Promise<void> {
  const root = document.getElementById('root');
  if (root === null) return;
  const draw = (shown: preact.ComponentChild) => render(shown, root);
  try {
    const view = await unpackView(document.getElementById('data')?.textContent ?? '');
    draw(<App view={view} isPrinted={false} />);
    // `render` draws at once, so that all rows are there when the browser prints.
    addEventListener('beforeprint', () => draw(<App view={view} isPrinted={true} />));
    addEventListener('afterprint', () => draw(<App view={view} isPrinted={false} />));
  } catch {
    draw(<p class="broken">{INCOMPLETE}</p>);
  }
}

addEventListener('DOMContentLoaded', () => void start());
