import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { wholeOption } from '../../../app/commands/options.ts';
import { withCurrentProject, type Opened } from '../../../app/commands/project.ts';
import type { Terminal } from '../../../app/commands/terminal.ts';
import { sha256 } from '../../../app/session/cached-complete.ts';
import { SETTINGS_FILE } from '../../../config/file-names.ts';
import { valueFlaw } from '../../../documents/text-flaws.ts';
import { formatProblem, problem, UserError, userError } from '../../../errors.ts';
import { canonicalJson } from '../../../kernel/suite/canonical-json.ts';
import type { Prompt } from '../../../kernel/suite/suite.ts';
import { fill } from '../../../kernel/suite/template.ts';
import { counted, firstWords } from '../../../text/amounts.ts';
import { logJson, logLine } from '../../../text/log.ts';
import { redactAll, secretKind } from '../../../text/redact.ts';
import type { JsonMap, Place } from '../../../types/plain.ts';
import { chooseTraces, type RankedTrace } from './choose.ts';
import { jsonValues } from './json-values.ts';
import { matchTrace, type TraceInput } from './match.ts';
import { createPersonalData } from './personal.ts';
import { readTraces, TRACE_FORMAT_NAMES, type Trace } from './records.ts';

interface TraceOptions {
  directory: string;
  prompt: string;
  most: string;
  seed: string;
}

export function addTraces(imports: Command, terminal: Terminal, done: (code: number) => void) {
  imports
    .enablePositionalOptions()
    .command('traces')
    .description("print tests made from an application's traces, as JSON Lines")
    .argument('<files...>', `JSON or JSON Lines of ${TRACE_FORMAT_NAMES}`)
    .requiredOption('--prompt <file>', 'the prompt that the application used')
    .option('-C, --directory <folder>', 'root of the project that the prompt belongs to', '.')
    .option('--most <number>', 'print at most so many tests', '50')
    .option('--seed <seed>', 'another selection for each seed', '0')
    .action(async (files: string[], options: TraceOptions) => {
      await withCurrentProject(
        { ...options, config: SETTINGS_FILE, code: 'sandbox' },
        terminal,
        [],
        (opened) => importTraces(files, options, opened, terminal),
      );
      done(0);
    });
}

interface PlacedTrace extends Trace {
  place: Place;
}

/** A trace that matches the prompt. */
interface UsableTrace extends PlacedTrace, RankedTrace {
  input: TraceInput;
}

async function importTraces(
  files: readonly string[],
  options: TraceOptions,
  { project, session: { redact } }: Opened,
  { cwd, out, err }: Terminal,
): Promise<void> {
  const prompts = project.suites.map(({ prompt }) => prompt);
  const prompt = prompts.find(({ file }) => file === options.prompt);
  const names = firstWords(prompts.map(({ file }) => file));
  if (prompt === undefined)
    throw userError(options.prompt, `is not a prompt of this project; name one of ${names}`);
  const most = wholeOption('--most', options.most, 1, 5_000);
  const unused = new Map<string, { times: number; place: Place }>();
  let held: UsableTrace[] = [];
  let matching = 0;
  let added = 0;
  for (const file of files)
    for await (const trace of tracesOf(file, cwd)) {
      const usable = usableTrace(trace, prompt, redact, options.seed);
      if (typeof usable === 'string') {
        const { times, place } = unused.get(usable) ?? { times: 0, place: trace.place };
        unused.set(usable, { times: times + 1, place });
        continue;
      }
      matching += 1;
      held.push(usable);
      added += JSON.stringify(usable).length;
      if (added < MOST_ADDED) continue;
      held = chooseTraces(held, most);
      added = 0;
    }
  const left = [...unused].map(([why, { times, place }]) =>
    problem(place, `${counted(times, 'trace')} not used, this one first: ${why}`),
  );
  if (matching === 0) throw new UserError([problem(prompt.file, NOTHING_MATCHES), ...left]);
  const chosen = chooseTraces(held, most);
  const personal = createPersonalData(JSON.stringify(prompt.messages));
  for (const trace of chosen)
    out(`${logJson(testOf(withoutPersonalData(trace, prompt, personal.hide), prompt), 0)}\n`);
  for (const each of left) err(`${logLine(formatProblem(each))}\n`);
  const tests = `${counted(chosen.length, 'test')} of ${counted(matching, 'trace')}`;
  err(`${tests}; replaced: ${personal.summary()}\n`);
}

/** Characters of traces that are held beside the chosen ones. */
const MOST_ADDED = 64e6;

const NOTHING_MATCHES =
  'no trace matches this prompt; give traces of its calls, or check out the commit whose prompt ' +
  'made them';

async function* tracesOf(file: string, cwd: string) {
  const path = resolve(cwd, file);
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory() ?? true) throw userError(file, 'is not a file that can be read');
  const texts = createReadStream(path, { encoding: 'utf8', highWaterMark: 1 << 20 });
  let known: string | null = null;
  for await (const { place, value } of jsonValues(file, texts))
    for (const trace of readTraces(value)) {
      if (trace === null) throw userError(place, `has no trace of ${TRACE_FORMAT_NAMES}`);
      known ??= trace.format;
      if (trace.format !== known)
        throw userError(place, `has ${trace.format} after ${known}; write a file of each`);
      yield { ...trace, place };
    }
}

/** Returns a text if the trace cannot be used. */
function usableTrace(
  trace: PlacedTrace,
  prompt: Prompt,
  redact: Opened['session']['redact'],
  seed: string,
): UsableTrace | string {
  const input = matchTrace(trace.messages, prompt);
  if (typeof input === 'string') return input;
  const contents = trace.messages.map(({ content }) => content);
  const text = [...contents, ...Object.values(trace)].join('\n');
  const secret = secretKind(text) ?? (redact(text) === text ? null : 'a key of this environment');
  const flaw = secret === null ? valueFlaw(text, 'data') : `it contains ${secret}`;
  if (flaw !== null) return flaw;
  const asked = canonicalJson(input);
  const isUrgent = tagsOf(trace).length > 0;
  const usable = {
    ...trace,
    input,
    group: Math.floor(Math.log2(asked.length)),
    rank: sha256(`${seed} ${asked}`),
    // False is before true.
    version: `${!isUrgent} ${trace.correction === null} ${sha256(text)}`,
    isUrgent,
  };
  const { hide } = createPersonalData(JSON.stringify(prompt.messages));
  const { messages } = withoutPersonalData(usable, prompt, hide);
  return redactAll(messages, hide) === messages
    ? usable
    : 'it contains personal data that cannot be replaced';
}

/** Fills the prompt with the replaced values, so that they are the same in input and messages. */
function withoutPersonalData(
  trace: UsableTrace,
  { messages }: Prompt,
  hide: (text: string) => string,
): UsableTrace {
  const { answer, correction, error } = trace;
  const input = redactAll(trace.input, hide);
  return {
    ...trace,
    ...redactAll({ answer, correction, error }, hide),
    input,
    messages: Array.isArray(input)
      ? redactAll(trace.messages, hide)
      : messages.map(({ role, content }) => ({ role, content: fill(content, input) })),
  };
}

function tagsOf({ isDisliked, correction, error }: Trace): string[] {
  return [
    isDisliked ? 'disliked' : [],
    correction === null ? [] : 'corrected',
    error === null ? [] : 'failed',
  ].flat();
}

/** A test that is also a line of a recordings file, which the provider `replay` reads. */
function testOf(trace: UsableTrace, { parameters }: Prompt): JsonMap {
  const { input, place, id, time, model, error, answer, correction, messages } = trace;
  return {
    input,
    ...(correction === null ? {} : { expected: correction }),
    tags: ['trace', ...tagsOf(trace)],
    trace: { ...place, id, time, model, error },
    request: { model: 'logged', parameters, messages, try: 0 },
    reply: { output: answer ?? '' },
  };
}
