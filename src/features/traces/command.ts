import { createReadStream } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { writeNewFiles } from '../../app/commands/files.ts';
import { wholeOption } from '../../app/commands/options.ts';
import { withCurrentProject, type Opened } from '../../app/commands/project.ts';
import type { AddCommand, Terminal } from '../../app/commands/terminal.ts';
import { sha256 } from '../../app/session/cached-complete.ts';
import { visibleErrorMessage } from '../../app/session/safe-writing.ts';
import { SETTINGS_FILE } from '../../config/file-names.ts';
import { escapeCodePoints } from '../../documents/text-flaws.ts';
import { formatProblem, problem, UserError, userError } from '../../errors.ts';
import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import type { Prompt } from '../../kernel/suite/suite.ts';
import { count, counted, firstWords } from '../../text/amounts.ts';
import { logLine } from '../../text/log.ts';
import { redactAll, secretKind } from '../../text/redact.ts';
import { member, type JsonMap, type Place } from '../../types/plain.ts';
import { createChoice, FIRST, type Choice } from './choose.ts';
import { readTraces, TRACE_FORMAT_NAMES, type Trace } from './formats.ts';
import { jsonObjects } from './json-stream.ts';
import { matchTrace, renderedMessages, type TraceInput } from './match.ts';
import { createPersonalData } from './personal.ts';

interface TraceOptions {
  directory: string;
  prompt: string;
  most: string;
  seed: string;
  commit?: string;
}

export const tracesCommand: AddCommand = (program, terminal, done) => {
  const imports =
    program.commands.find((command) => command.name() === 'import') ?? program.command('import');
  imports
    .enablePositionalOptions()
    .command('traces')
    .description("make tests from an application's traces: what users asked one prompt")
    .argument('<files...>', `JSON or JSONL: ${TRACE_FORMAT_NAMES}`)
    .requiredOption('--prompt <file>', 'the prompt file that the application used')
    .option('-C, --directory <folder>', 'root of the project that the prompt belongs to', '.')
    .option(
      '--commit <commit>',
      'the commit whose prompt made the traces (default: the file as it is)',
    )
    .option('--most <number>', 'write at most so many tests', '50')
    .option('--seed <seed>', 'another selection for each seed', '0')
    .addHelpText(
      'after',
      '\nExample: evaldiff import traces spans.jsonl --prompt prompts/support.yaml --most 50',
    )
    .action(async (files: string[], options: TraceOptions) => {
      const most = wholeOption('--most', options.most, 1, MOST_TESTS);
      const { directory, commit } = options;
      await withCurrentProject(
        { directory, config: SETTINGS_FILE, code: 'sandbox' },
        terminal,
        [],
        (opened) => importTraces(files, { ...options, most }, opened, terminal),
        {
          find: async ({ repository }) => ({
            base: null,
            head: await (commit === undefined
              ? repository.worktree('')
              : repository.tree(await repository.resolve(commit), '')),
          }),
        },
      );
      done(0);
    });
};

const MOST_TESTS = 5_000;

/** The name of the model that answers with the logged answers. */
const LOGGED = 'logged';

interface UsableTrace extends Omit<Trace, 'messages'> {
  place: Place;
  input: TraceInput;
}

interface TraceReading {
  prompt: Prompt;
  seed: string;
  choice: Choice<UsableTrace>;
  redact(text: string): string;
  /** Why traces are not used → how many, and where the first is. */
  unused: Map<string, { times: number; place: Place }>;
}

async function importTraces(
  files: readonly string[],
  { prompt: name, seed, most }: Pick<TraceOptions, 'prompt' | 'seed'> & { most: number },
  { project, session }: Opened,
  terminal: Terminal,
): Promise<void> {
  const prompt = promptNamed(name, project);
  const choice = createChoice<UsableTrace>(most);
  const reading: TraceReading = { prompt, seed, choice, redact: session.redact, unused: new Map() };
  for (const file of files) await readTraceFile(file, resolve(terminal.cwd, file), reading);
  const left = [...reading.unused].map(([why, { times, place }]) =>
    problem(place, `${counted(times, 'trace')} not used, such as this one, which ${why}`),
  );
  const chosen = choice.chosen();
  if (chosen.length === 0)
    throw new UserError([problem(prompt.file, 'no trace can be used as a test'), ...left]);
  const personal = createPersonalData();
  const rows = chosen.map((trace) => testOfTrace(trace, prompt, personal.hide));
  const path = prompt.file.replace(/\.\w+$/, '.traces.jsonl');
  const text = rows.map((row) => `${escapeCodePoints(JSON.stringify(row))}\n`).join('');
  const { root, below } = session.repository.workTree;
  await writeNewFiles(join(root, below), new Map([[path, text]]), session.workTree);
  for (const each of left) terminal.err(`${logLine(formatProblem(each))}\n`);
  terminal.err(`replaced: ${personal.summary()}\n`);
  terminal.out(`${endWords(path, chosen, prompt).map(logLine).join('\n')}\n`);
}

function promptNamed(name: string, { suites }: Opened['project']): Prompt {
  const prompts = suites.map(({ prompt }) => prompt);
  const prompt = prompts.find(({ file }) => file === posix.normalize(name));
  if (prompt === undefined)
    throw userError(
      name,
      `is not a prompt of this project; name one of ${firstWords(prompts.map(({ file }) => file))}`,
    );
  if (prompt.code !== null || prompt.messages.some(({ parts }) => parts !== undefined))
    throw userError(name, 'has code, images or files, so traces cannot be matched with it');
  return prompt;
}

/** @throws UserError for a file that is not JSON, or without traces */
async function readTraceFile(file: string, path: string, reading: TraceReading): Promise<void> {
  let isEmpty = true;
  try {
    const texts = createReadStream(path, { encoding: 'utf8', highWaterMark: 1 << 20 });
    for await (const { line, value } of jsonObjects(file, texts)) {
      const place = { file, line };
      const traces = readTraces(value);
      if (traces === null)
        throw userError(place, `is not a trace in a known format: ${TRACE_FORMAT_NAMES}`);
      for (const trace of traces) addTrace(trace, place, reading);
      isEmpty = false;
    }
  } catch (error) {
    if (typeof member(error, 'syscall') !== 'string') throw error;
    throw userError(file, `cannot be read: ${visibleErrorMessage(error)}`);
  }
  if (isEmpty) throw userError(file, 'contains no traces');
}

function addTrace({ messages, ...trace }: Trace, place: Place, reading: TraceReading): void {
  const { prompt, choice, unused, seed } = reading;
  const matched =
    messages === null
      ? { differs: 'has no messages, or some that are not text' }
      : matchTrace(messages, prompt);
  const why = 'differs' in matched ? matched.differs : traceFlaw({ ...trace, ...matched }, reading);
  if ('differs' in matched || why !== null) {
    const first = unused.get(why ?? '') ?? { times: 0, place };
    unused.set(why ?? '', { ...first, times: first.times + 1 });
    return;
  }
  const { input } = matched;
  const asked = canonicalJson(input);
  const length = Math.floor(Math.log2(asked.length) / 2);
  const group = tagsOf(trace).length > 0 ? FIRST : `${length} ${trace.tags}`;
  choice.add(group, sha256(`${seed} ${asked}`), { ...trace, place, input });
}

function traceFlaw(given: JsonMap, { redact }: Pick<TraceReading, 'redact'>): string | null {
  const text = JSON.stringify(given);
  const secret =
    secretKind(text) ?? (redact(text) === text ? null : 'a key that this project uses');
  if (secret !== null) return `contains ${secret}`;
  return text.includes('\\u00') ? 'contains control characters' : null;
}

/** Traces with tags are chosen before others. */
function tagsOf({ isDisliked, correction, error }: Omit<Trace, 'messages'>): string[] {
  const tags = { disliked: isDisliked || null, corrected: correction, failed: error };
  return Object.entries(tags).flatMap(([tag, value]) => (value === null ? [] : [tag]));
}

/** A test that is also a line of a recordings file, which the provider `replay` reads. */
function testOfTrace(trace: UsableTrace, prompt: Prompt, hide: (text: string) => string): JsonMap {
  const { place, id, time, model, ...said } = trace;
  const { answer, correction, error, input } = redactAll(said, hide);
  return {
    input,
    ...(correction === null ? {} : { expected: correction }),
    tags: ['trace', ...tagsOf(trace)],
    trace: { ...place, id, time, model, error },
    request: {
      model: LOGGED,
      parameters: prompt.parameters,
      messages: renderedMessages(input, prompt),
      try: 0,
    },
    reply: { output: answer ?? '' },
  };
}

function endWords(path: string, chosen: readonly UsableTrace[], { name, model }: Prompt): string[] {
  const tags = Map.groupBy(chosen.flatMap(tagsOf), (tag) => tag);
  const tagged = [...tags].map(([tag, { length }]) => `, ${count(length)} ${tag}`);
  return [
    `wrote ${path}: ${counted(chosen.length, 'test')}${tagged.join('')}`,
    '',
    `Read the file before you commit it. Add to the tests of ${name}:`,
    `  references_from: { file: ${path} }`,
    `To compare with the logged answers, add to models in ${SETTINGS_FILE}:`,
    `  ${LOGGED}: { provider: replay, file: ${path} }`,
    `and run: npx evaldiff run prompts=${name} tags=trace model=${LOGGED},${model ?? 'MODEL'} n_tries=1`,
  ];
}
