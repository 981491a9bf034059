import { validateFolder } from '../../app/commands/plain.ts';
import { dayOf } from '../../app/commands/project.ts';
import type { Terminal } from '../../app/commands/terminal.ts';
import { FAILS_ALWAYS, NOT_COMPILED } from '../../app/run/check.ts';
import { SETTINGS_FILE } from '../../config/file-names.ts';
import { createSandbox } from '../../edges/sandbox/index.ts';
import type { Evaluate } from '../../types/model.ts';
import { isMap, jsonText, type JsonMap } from '../../types/plain.ts';
import { placeIn, type DraftFile, type Imported } from './shared/draft.ts';
import { lose, addRemark } from './shared/node.ts';

export async function reportFailingChecks(
  folder: string,
  files: ReadonlyMap<string, string>,
  { left, remarks }: Imported,
  terminal: Terminal,
): Promise<void> {
  const planned = await validateFolder(folder, terminal);
  const { problems, notices } = planned.ready ? planned.emptyResult : planned.result;
  for (const { place, message } of problems)
    lose(left, place ?? { file: SETTINGS_FILE, line: 0 }, 'evaldiff validate', message);
  remarks.push(...notices.filter(({ place }) => place !== null && files.has(place.file)));
}

const CHECK_TIMEOUT_SECONDS = 5;

type SandboxTerminal = Pick<Terminal, 'err' | 'testOverrides'>;

export async function withSandbox(
  { err, testOverrides }: SandboxTerminal,
  work: (evaluate: Evaluate) => Promise<void>,
): Promise<void> {
  const sandbox = createSandbox({
    mode: 'sandbox',
    env: {},
    timeoutSeconds: CHECK_TIMEOUT_SECONDS,
    time: dayOf(testOverrides).getTime(),
    log: (line) => {
      err(`${line}\n`);
    },
  });
  try {
    await work(sandbox.evaluate);
  } finally {
    await sandbox.close();
  }
}

/** As in promptfoo, checks that do not compile always fail. Otherwise they would stop the run. */
export async function failBrokenChecks(
  { prompts, remarks }: Imported,
  terminal: SandboxTerminal,
): Promise<void> {
  await withSandbox(terminal, async (evaluate) => {
    for (const tests of new Set(prompts.flatMap((prompt) => prompt.tests ?? [])))
      for (const { metric, place } of codeMetrics(tests)) {
        const why = await whyNotCompiled(metric, evaluate);
        if (why === null) continue;
        const name = jsonText(metric['name'] ?? '');
        addRemark(remarks, place, `the assertion ${name} ${FAILS_ALWAYS}: ${why}`);
        const reason = JSON.stringify(`does not compile: ${why}`);
        const code = `metric = 0;\nresult = false;\nreason = ${reason};\n`;
        Object.assign(metric, { language: 'javascript', code });
      }
  });
}

function codeMetrics(tests: DraftFile) {
  const { value } = tests;
  const references = Array.isArray(value['references']) ? value['references'] : [];
  return references.flatMap((reference, at) => {
    const metrics = isMap(reference) ? reference['metrics'] : null;
    return (Array.isArray(metrics) ? metrics : []).flatMap((metric, index) =>
      isMap(metric) && typeof metric['code'] === 'string'
        ? [{ metric, place: placeIn(tests, ['references', at, 'metrics', index]) }]
        : [],
    );
  });
}

async function whyNotCompiled(
  { language, code }: JsonMap,
  evaluate: Evaluate,
): Promise<string | null> {
  const [result] = await evaluate({
    suite: 'compiled',
    side: 'head',
    language: language === 'python' ? 'python' : 'javascript',
    code: jsonText(code ?? ''),
    outputs: [],
    inputs: [{}],
  });
  return result?.status === 'error' && NOT_COMPILED.test(result.message) ? result.message : null;
}
