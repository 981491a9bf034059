import { useRef, useState } from 'preact/hooks';
import { COVERED_HEAD, coveredRow } from '../report/sections/covered-lines.ts';
import { fixBlocks } from '../report/sections/fixes.ts';
import { promptKey } from '../report/sections/order.ts';
import { Blocks, DataTable, LineView, wrapped } from './blocks.tsx';
import { rawOf, type CoverageData } from './data.ts';
import { useReport } from './report.ts';
import { useKeys } from './row.tsx';
import { lineName } from './tests.ts';

/** The lines of prompts, and the tests that hold them. */
export function LinesTab() {
  const { result, live } = useReport();
  const { coverage = [] } = result;
  const section = useRef<HTMLElement>(null);
  useKeys(({ key }) => {
    const button = `[data-key="${CSS.escape(key)}"]`;
    const row = document.activeElement?.closest('tr') ?? null;
    const found = row?.querySelector(button) ?? section.current?.querySelector(button);
    if (found instanceof HTMLElement) found.click();
  });
  return (
    <section ref={section}>
      <h2>Which line is tested?</h2>
      {live?.prompts
        .filter(({ isEmpty }) => !isEmpty)
        .map((prompt) => (
          <p class="acts">
            <b>{prompt.name}</b>
            <AskButton
              prompt={rawOf(prompt).key}
              line={null}
              words="Examine its lines"
              letter="l"
            />
          </p>
        ))}
      {coverage.map((suite) => (
        <SuiteLines suite={suite} />
      ))}
    </section>
  );
}

function SuiteLines({ suite }: { suite: CoverageData }) {
  const { links, showTests } = useReport();
  const { suite: name, lines, reason } = suite;
  const prompt = promptKey({ path: rawOf(suite).path, name: rawOf(suite).suite });
  return (
    <>
      <h3>{name}</h3>
      {reason !== null && <p class="soft">{`Not settled, because ${reason}.`}</p>}
      <DataTable
        head={COVERED_HEAD}
        rows={lines.map((line) => {
          const [where, text, tests] = coveredRow(line, lines).map((cell) => (
            <LineView line={cell} links={links} />
          ));
          return [
            where,
            wrapped(text),
            wrapped(
              <>
                {tests}{' '}
                {line.reference !== null && (
                  <button type="button" onClick={() => showTests({ line: lineName(line) })}>
                    Show the test
                  </button>
                )}
                {line.status === 'untested' && <DraftedTest line={line} prompt={prompt} />}
              </>,
            ),
          ];
        })}
      />
    </>
  );
}

/** A test for an untested line: a button that asks for it, or the test with a button to write it. */
function DraftedTest({ line, prompt }: { line: CoverageData['lines'][number]; prompt: string }) {
  const { live, links } = useReport();
  const { fix, no_fix: why } = line;
  if (!fix) {
    if (why !== undefined) return <p>{`No test was drafted: ${why}.`}</p>;
    const text = rawOf(line.unit).head_text;
    return <AskButton prompt={prompt} line={text} words="Draft a test" letter="d" />;
  }
  const write = () => {
    const { file, replacement } = rawOf(fix);
    void live?.act({ kind: 'write', file, replacement });
  };
  return (
    <>
      <Blocks blocks={fixBlocks({ fix })} links={links} />
      {live !== null && (
        <button type="button" data-key="w" onClick={write}>
          Write it (w)
        </button>
      )}
    </>
  );
}

interface AskProps {
  prompt: string;
  line: string | null;
  words: string;
  /** The key that presses the button. */
  letter: string;
}

/** Says what it costs when it is pressed, and asks when it is pressed again. */
function AskButton({ prompt, line, words, letter }: AskProps) {
  const { live } = useReport();
  const [isAgreed, agree] = useState(false);
  if (live === null) return null;
  const press = async () => {
    const isDone = await live.act({ kind: 'cover', prompt, line, isAgreed });
    agree(isDone && !isAgreed);
  };
  return (
    <button type="button" data-key={letter} onClick={() => void press()}>
      {`${isAgreed ? 'Ask now' : words} (${letter})`}
    </button>
  );
}
