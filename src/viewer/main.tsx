import { render, type FunctionComponent } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { paragraph } from '../report/sections/document.ts';
import { shortSha } from '../report/sections/phrases.ts';
import { count } from '../text/amounts.ts';
import { FirstTests } from './actions.tsx';
import { AttributesTab } from './attributes.tsx';
import { Blocks } from './blocks.tsx';
import { Compare, comparedColumns } from './compare.tsx';
import { unpackView, withVisibleText, type ViewData } from './data.ts';
import { Costs, Metrics, Suites } from './figures.tsx';
import { LinesTab } from './lines.tsx';
import { TestList } from './list.tsx';
import { LiveBar, LiveNotes, useLive } from './live.tsx';
import { ViewerContext, reportOf, useReport, type Live } from './report.ts';
import { Face, Glance } from './row.tsx';
import { NO_FILTER, type Filter, type TestRow } from './tests.ts';
import { TrendTab } from './trend.tsx';
import './viewer.css';

interface Tab {
  name: string;
  words: string;
  View: FunctionComponent;
  isShown: boolean;
}

function tabsOf({ result, blocks, trend, live }: ViewData, tests: readonly TestRow[]): Tab[] {
  const { suites, attributes, usage, coverage = [] } = result;
  const hasSuites = suites.length > 0;
  const hasGroups = attributes.length + blocks.groups.length > 0;
  return [
    { name: 'suites', words: 'Suites', View: Suites, isShown: hasSuites },
    {
      name: 'compare',
      words: 'Compare',
      View: Compare,
      isShown: comparedColumns(tests).length > 0,
    },
    {
      name: 'lines',
      words: 'Lines',
      View: LinesTab,
      isShown: coverage.length > 0 || live !== undefined,
    },
    { name: 'attributes', words: 'Groups', View: AttributesTab, isShown: hasGroups },
    { name: 'metrics', words: 'Metrics', View: Metrics, isShown: hasSuites },
    {
      name: 'costs',
      words: 'Calls and cost',
      View: Costs,
      isShown: usage.calls + usage.reused > 0,
    },
    { name: 'trend', words: 'Trend', View: TrendTab, isShown: Boolean(trend) },
    { name: 'more', words: 'More', View: More, isShown: blocks.more.length > 0 },
  ].filter(({ isShown }) => isShown);
}

function More() {
  const { blocks, links } = useReport();
  return (
    <section>
      <h2>More</h2>
      <Blocks blocks={blocks.more} links={links} />
    </section>
  );
}

function addressParts(): string[] {
  return location.hash.slice(1).split('/');
}

interface AppProps {
  view: ViewData;
  isPrinted: boolean;
  live: Live | null;
}

function App({ view, isPrinted, live }: AppProps) {
  const found = useMemo(() => reportOf(view), [view]);
  const [address, setAddress] = useState(addressParts);
  const [filter, setFilter] = useState<Filter>(NO_FILTER);
  useEffect(() => {
    const read = () => setAddress(addressParts());
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  const showTests = (chosen: Filter['chosen']) => {
    setFilter({ ...NO_FILTER, chosen });
    location.hash = 'tests';
    document.querySelector('nav')?.scrollIntoView();
  };
  const { tests, links } = found;
  const tabs = useMemo(() => tabsOf(view, tests), [view, tests]);
  const start = view.trend ? 'trend' : 'tests';
  const current = tabs.find(({ name }) => name === (address[0] || start))?.name ?? 'tests';
  const testsTab = { name: 'tests', words: `Tests (${count(tests.length)})` };
  const { blocks, left } = view;
  const [sign] = blocks.top
    .flatMap((block) => (block.kind === 'paragraph' ? block.line : []))
    .filter((part) => typeof part !== 'string' && part.kind === 'sign');
  const sides = { base: 'Base', head: live?.state.draft ? 'Unsaved head' : 'Head' };
  return (
    <ViewerContext.Provider value={{ ...view, ...found, live, sides, showTests }}>
      {live === null ? <SavedBar view={view} /> : <LiveBar live={live} />}
      <main>
        <LiveNotes />
        <section class={`verdict ${sign?.tone ?? ''}`}>
          <Blocks blocks={blocks.top.slice(0, 2)} links={links} />
          <Worst test={tests[0]} />
          <Blocks blocks={blocks.top.slice(2)} links={links} />
        </section>
        {left !== null && <p class="soft">{left}</p>}
        <nav aria-label="Parts of the report">
          {[testsTab, ...tabs].map(({ name, words }) => (
            <a href={`#${name}`} aria-current={name === current ? 'page' : undefined}>
              {words}
            </a>
          ))}
        </nav>
        {(isPrinted || current === 'tests') && (
          <>
            <TestList {...{ address, filter, setFilter, isPrinted }} />
            <FirstTests />
          </>
        )}
        {tabs.map(({ name, View }) => (isPrinted || name === current) && <View />)}
      </main>
      <footer>
        <Blocks blocks={blocks.footer} links={links} />
      </footer>
    </ViewerContext.Provider>
  );
}

function SavedBar({ view: { result } }: { view: ViewData }) {
  const { base, head, mode } = result;
  return (
    <header>
      <span>
        <b>evaldiff</b> {mode === 'diff' ? 'base against head' : 'full sweep'}
      </span>
      <span>
        {[base, head].flatMap((side) => (side === null ? [] : shortSha(side.sha))).join(' … ')}
      </span>
    </header>
  );
}

/** The page of `evaldiff dev`. */
function LiveApp({ isPrinted }: { isPrinted: boolean }) {
  const { view, live } = useLive();
  if (view !== null && !live.canStart) return <App {...{ view, isPrinted, live }} />;
  return (
    <>
      <LiveBar live={live} />
      <main>
        {live.canStart ? (
          <p class="verdict open">
            This folder has no suite yet.{' '}
            <button type="button" onClick={() => void live.act({ kind: 'start' })}>
              Write an example
            </button>
          </p>
        ) : (
          <ul>
            {live.state.problems.map((problem) => (
              <li>{problem}</li>
            ))}
          </ul>
        )}
      </main>
    </>
  );
}

/** In pixels: the height of a row with both answers. */
const ROW_ROOM = 130;

/** Shows the worst test on top if the list begins below the first screen. */
function Worst({ test }: { test: TestRow | undefined }) {
  const [isShown, show] = useState(false);
  useLayoutEffect(() => {
    const top = document.querySelector('.rows')?.getBoundingClientRect().top ?? 0;
    show(top + window.scrollY > innerHeight - ROW_ROOM);
  }, [test?.key]);
  return test === undefined || !isShown || test.status.tone !== 'bad' ? null : (
    <div class="worst">
      <a href={`#test/${test.key}`}>
        <Face test={test} />
      </a>
      <Glance test={test} />
    </div>
  );
}

const UNREADABLE =
  'This file is incomplete or of another version, so it cannot be shown. Download it again, or open ' +
  'result.json with npx evaldiff view result.json.';

/** A `result.json` has no report, so only its title is on top. */
async function readDropped(file: File | undefined): Promise<ViewData> {
  const result = withVisibleText(JSON.parse((await file?.text()) ?? '') as ViewData['result']);
  if ((result.schema_version as number) !== 2) throw new Error('It has another version');
  const top = [paragraph(result.title, 'verdict')];
  return { result, blocks: { top, groups: [], metrics: [], more: [], footer: [] }, left: null };
}

async function startViewer(): Promise<void> {
  const root = document.getElementById('root');
  if (root === null) return;
  const isLive = root.dataset['live'] !== undefined;
  let view: ViewData | null = null;
  const draw = (isPrinted: boolean) =>
    render(
      view === null ? (
        <LiveApp isPrinted={isPrinted} />
      ) : (
        <App {...{ view, isPrinted, live: null }} />
      ),
      root,
    );
  const show = async (read: () => Promise<ViewData | null>) => {
    try {
      view = await read();
      draw(false);
    } catch {
      render(<p class="broken">{UNREADABLE}</p>, root);
    }
  };
  await show(async () =>
    isLive ? null : unpackView(document.getElementById('data')?.textContent ?? ''),
  );
  // `render` draws at once, so that all rows are there when the browser prints.
  addEventListener('beforeprint', () => draw(true));
  addEventListener('afterprint', () => draw(false));
  if (isLive) return;
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    event.preventDefault();
    void show(() => readDropped(event.dataTransfer?.files[0]));
  });
}

addEventListener('DOMContentLoaded', () => void startViewer());
