import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkCaps, projectPrice } from '../../app/commands/caps.ts';
import { replaceFile, writeNewFiles } from '../../app/commands/files.ts';
import { evaluateOptions, type EvaluateOptions } from '../../app/commands/options.ts';
import { asking, withCurrentProject, type Opened } from '../../app/commands/project.ts';
import { originOf, type AddCommand, type Terminal } from '../../app/commands/terminal.ts';
import type { Edges } from '../../app/run/record.ts';
import { sha256 } from '../../app/session/cached-complete.ts';
import { schemaLine } from '../../app/session/origin.ts';
import { pathRefusal } from '../../app/session/safe-writing.ts';
import { SETTINGS_FILE } from '../../config/file-names.ts';
import { userError, InternalError, UserError, problem } from '../../errors.ts';
import { sum } from '../../kernel/statistics/sums.ts';
import { forecastWords } from '../../money/cost-cap.ts';
import { createMeter } from '../../money/meter.ts';
import { priceCounts, type Forecast } from '../../money/priced-calls.ts';
import type { Project } from '../../project/settings.ts';
import { counted } from '../../text/amounts.ts';
import { logJson, logLine } from '../../text/log.ts';
import { createAsker } from '../../trials/asker.ts';
import type { AskTools } from '../../trials/grader-question.ts';
import { taskText } from '../../trials/packet.ts';
import type { Grader } from '../../types/model.ts';
import type { Problem } from '../../types/plain.ts';
import type { Price } from '../../types/price.ts';
import type { UsageTotals } from '../../types/usage-totals.ts';
import { CHUNK, GROUP, discoveryCalls, referenceTexts, referenceTokens } from './cost.ts';
import { discoveryNotes, discover, type Discovery } from './discover.ts';
import { writeAttributes } from './file.ts';
import { attributesPath } from './pinned.ts';
import {
  FEWEST_REFERENCES,
  attributeLimit,
  referenceText,
  type Attribute,
  type ReferenceText,
} from './text.ts';

interface DiscoverOptions extends EvaluateOptions {
  force?: boolean;
}

export const discoverCommand: AddCommand = (program, terminal, done) => {
  evaluateOptions(program.command('discover'), { answers: true, caps: true, asks: true })
    .description('find attributes of the references and write them to a file')
    .argument('[overrides...]', 'key=value, such as prompts=support or qualeval.max_attributes=8')
    .option('--force', 'replace an existing attributes file')
    .addHelpText(
      'after',
      '\nPrints the number of calls and their price before the first call. ' +
        'Writes nothing if the run is stopped early.\n\nExample: evaldiff discover prompts=support --max-cost 0.5',
    )
    .action(async (overrides: string[], options: DiscoverOptions) => {
      await withCurrentProject(options, terminal, overrides, async (opened) => {
        const file = await targetFile(opened, options, terminal);
        const { found, usage } = await asking(opened, (edges) =>
          runDiscovery(opened, options, edges, terminal),
        );
        await writeDiscovered(file, found, opened, options, terminal);
        printDiscovered(file, found, usage, options, terminal);
      });
      done(0);
    });
};

/** Fails before any model call if the output file exists. */
async function targetFile(
  { project: { settings }, session: { workTree } }: Opened,
  { directory, force }: DiscoverOptions,
  { cwd }: Terminal,
): Promise<string> {
  const file = attributesPath(settings);
  const path = join(resolve(cwd, directory), file);
  const refusal = await pathRefusal(path, 'file', workTree);
  if (refusal !== null) throw userError(file, refusal);
  if (force !== true && existsSync(path)) {
    throw userError(file, 'already exists; edit it, or replace it with --force');
  }
  return file;
}

async function runDiscovery(
  opened: Opened,
  options: DiscoverOptions,
  edges: Edges,
  terminal: Terminal,
): Promise<{ found: Discovered[]; usage: UsageTotals }> {
  const { project } = opened;
  const { found, usage } = await askWithGrader(
    { opened, options, edges, terminal },
    (grader, price) => {
      const plan = planDiscovery(project, grader, price);
      for (const note of plan.left) terminal.err(`note: ${logLine(note)}\n`);
      const references = plan.parts.reduce((sum, part) => sum + part.references.length, 0);
      const words = `${counted(plan.parts.length, 'prompt file')} with ${counted(references, 'reference')}`;
      return { ...plan, words, problems: nothingToRead(plan, project) };
    },
    ({ parts }, tools) => Promise.all(parts.map((part) => discoverPart(part, project, tools))),
  );
  for (const { path, ...own } of found)
    for (const note of discoveryNotes(own)) terminal.err(`note: ${logLine(`${path}: ${note}`)}\n`);
  return { found, usage };
}

interface GraderWork {
  opened: Opened;
  options: EvaluateOptions;
  edges: Edges;
  terminal: Terminal;
}

/** @throws UserError if a limit ended the work early */
export async function askWithGrader<Plan extends GraderPlan, Found>(
  { opened, options, edges, terminal }: GraderWork,
  planOf: (grader: Grader, price: Price) => Plan,
  work: (plan: Plan, tools: AskTools) => Promise<Found>,
): Promise<{ found: Found; usage: UsageTotals }> {
  const grader = discoveryGrader(opened, options);
  const targets = [grader.target];
  const price = await projectPrice(opened, edges, targets);
  const plan = planOf(grader, price);
  const ledger = checkCaps({ ...plan, targets, price }, opened, edges);
  terminal.err(
    `${plan.words}: up to ${counted(plan.calls, 'call')}; ${logLine(forecastWords(plan.forecast))}\n`,
  );
  const { complete, totals } = createMeter(edges.complete, price);
  const found = await work(plan, { complete, grader, random: edges.random });
  const ended = (ledger.halt() ?? edges.halted())?.why ?? null;
  if (ended !== null)
    throw userError(
      null,
      'stopped early, so nothing was written: ' +
        `${ended}.${options.store === false ? '' : ' The answers so far are stored; run the command again to continue.'}`,
    );
  return { found, usage: totals() };
}

export interface GraderPlan {
  words: string;
  calls: number;
  forecast: Forecast;
  problems: readonly Problem[];
}

function discoveryGrader({ project, tree }: Opened, { code }: EvaluateOptions): Grader {
  const { settings } = project;
  const found = createAsker({ project, context: { settings, tree, hash: sha256 } }, code);
  if (found === null) {
    throw userError(
      settings.file ?? SETTINGS_FILE,
      'has no grader, which is needed to read the references; set grader: { model: … }',
    );
  }
  if (found.problems.length > 0) throw new UserError(found.problems);
  if (found.asker.grader === null)
    throw new InternalError('a grader without a target is a problem');
  return found.asker.grader;
}

function nothingToRead({ parts, left }: DiscoveryPlan, { settings }: Project): Problem[] {
  if (parts.length > 0) return [];
  return [
    problem(
      { file: settings.file ?? SETTINGS_FILE, line: 0 },
      left.length === 0
        ? 'no prompt has tests to read references from'
        : 'no prompt has enough references for attributes',
    ),
  ];
}

async function writeDiscovered(
  file: string,
  found: readonly Discovered[],
  { session: { workTree } }: Opened,
  { directory, force }: DiscoverOptions,
  terminal: Terminal,
): Promise<void> {
  const named = found.filter(({ attributes }) => attributes.length > 0);
  if (named.length === 0)
    throw userError(null, 'no attributes were found, so nothing was written; see the notes above');
  const text = `${schemaLine('attributes', originOf(terminal))}${writeAttributes(named)}`;
  const folder = resolve(terminal.cwd, directory);
  if (force === true) await replaceFile(folder, file, text, workTree);
  else await writeNewFiles(folder, new Map([[file, text]]), workTree);
}

function printDiscovered(
  file: string,
  found: readonly Discovered[],
  usage: UsageTotals,
  { json }: DiscoverOptions,
  terminal: Terminal,
): void {
  if (json === true) {
    const prompts = found.map(({ path, name, references, attributes }) => ({
      path,
      name,
      references,
      attributes,
    }));
    terminal.out(`${logJson({ file, prompts, usage })}\n`);
    return;
  }
  const listed = (attributes: readonly Attribute[], kind: Attribute['kind']) =>
    attributes
      .filter((attribute) => attribute.kind === kind)
      .map(({ name }) => name)
      .join(', ');
  for (const { path, references, attributes } of found) {
    terminal.out(
      [
        `${logLine(`${path}: ${counted(references, 'reference')}`)}\n  `,
        `${logLine(`domains: ${listed(attributes, 'domain')}`)}\n  `,
        `${logLine(`sub-tasks: ${listed(attributes, 'subtask')}`)}\n`,
      ].join(''),
    );
  }
  terminal.out(
    `\nwrote ${logLine(file)}. Edit and commit it. From then on, every pull request that ` +
      'runs these prompts uses it.\n',
  );
}

interface DiscoveryPart {
  path: string;
  name: string;
  prompt: string;
  references: ReferenceText[];
  most: number;
}

interface DiscoveryPlan {
  parts: DiscoveryPart[];
  calls: number;
  forecast: Forecast;
  left: string[];
}

/** Estimated tokens of a question without references, and of a proposed attribute. */
const FRAME = 300;
const PROPOSAL = 35;

function planDiscovery({ suites, settings }: Project, grader: Grader, price: Price): DiscoveryPlan {
  const all = discoveryParts(suites, settings.qualeval.max_attributes);
  const parts = all.filter(({ references }) => references.length >= FEWEST_REFERENCES);
  const left = all
    .filter((part) => !parts.includes(part))
    .map(
      ({ path, references }) =>
        `${path}: attributes need at least ${FEWEST_REFERENCES} references; there ` +
        `${references.length === 1 ? 'is' : 'are'} ${references.length}`,
    );
  const calls = sum(parts.map(({ references, most }) => discoveryCalls(references.length, most)));
  return { parts, calls, left, forecast: forecastOf(parts, calls, grader, price) };
}

/** Attributes are discovered per file, because a file's prompts share them. */
function discoveryParts(suites: Project['suites'], most: number): DiscoveryPart[] {
  const files = new Map<
    string,
    { names: string[]; prompt: string; largest: number; references: Map<string, ReferenceText> }
  >();
  for (const { prompt, tests } of suites) {
    const file = files.get(prompt.file) ?? {
      names: [],
      prompt: taskText(prompt),
      largest: 0,
      references: new Map<string, ReferenceText>(),
    };
    files.set(prompt.file, file);
    file.names.push(prompt.name);
    file.largest = Math.max(file.largest, tests.references.length);
    for (const reference of referenceTexts(tests.references))
      file.references.set(`${reference.id}\n${referenceText(reference)}`, reference);
  }
  return [...files].map(([path, { names, prompt, largest, references }]) => ({
    path,
    name: names.join(', '),
    prompt,
    references: [...references.values()],
    most: attributeLimit(largest, most),
  }));
}

function forecastOf(
  parts: readonly DiscoveryPart[],
  calls: number,
  { target }: Grader,
  price: Price,
): Forecast {
  const references = parts.flatMap((part) => part.references);
  const merging = Math.max(0, calls - Math.ceil(references.length / GROUP));
  const usage = {
    input_tokens: Math.round(
      referenceTokens(references) + calls * FRAME + merging * CHUNK * PROPOSAL,
    ),
    output_tokens: calls * 2 * GROUP * PROPOSAL,
  };
  return priceCounts([{ purpose: 'qualeval', target, calls, ...usage }], 0, price);
}

interface Discovered extends Discovery {
  path: string;
  name: string;
  references: number;
}

async function discoverPart(
  { path, name, prompt, references, most }: DiscoveryPart,
  { settings: { seed } }: Project,
  tools: AskTools,
): Promise<Discovered> {
  const found = await discover(references, { most, seed, prompt }, tools);
  return { path, name, references: references.length, ...found };
}
