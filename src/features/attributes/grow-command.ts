import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { writeNewFiles } from '../../app/commands/files.ts';
import {
  collectValues,
  evaluateOptions,
  type EvaluateOptions,
} from '../../app/commands/options.ts';
import { asking, withCurrentProject, type Opened } from '../../app/commands/project.ts';
import type { AddCommand, Terminal } from '../../app/commands/terminal.ts';
import { readRows, type DataRow } from '../../documents/dataset.ts';
import { UserError, problem, userError } from '../../errors.ts';
import { createRandom, shuffle } from '../../kernel/statistics/random.ts';
import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import { priceCounts } from '../../money/priced-calls.ts';
import { counted, firstWords } from '../../text/amounts.ts';
import { logLine } from '../../text/log.ts';
import type { AskTools } from '../../trials/grader-question.ts';
import type { Grader } from '../../types/model.ts';
import { isMap, ownEntry, type Problem, type JsonMap, type Scalar } from '../../types/plain.ts';
import type { Price } from '../../types/price.ts';
import { rateReference, ratingScore, type Ratings } from './affinity.ts';
import { MEMBER_AFFINITY } from './attribute-results.ts';
import { askWithGrader, type GraderPlan } from './command.ts';
import { PER_QUESTION, referenceTexts, referenceTokens } from './cost.ts';
import { pinnedFor, taskFor } from './file.ts';
import { readPinned } from './pinned.ts';
import { foldName, type Attribute, type ReferenceText } from './text.ts';

const MOST_POOL_ROWS = 200;

/** Estimated tokens of a question without references, and of a rating. */
const [GROW_FRAME, RATING] = [350, 40];

interface GrowOptions extends EvaluateOptions {
  out: string;
  attribute?: string[];
}

export const growCommand: AddCommand = (program, terminal, done) => {
  evaluateOptions(program.command('grow'), { answers: true, caps: true, asks: true })
    .description('draft references for attributes that few tests have')
    .argument('<pool>', 'a .jsonl, .csv or .tsv file of inputs, such as a log')
    .argument('[overrides...]', 'key=value, such as prompts=support')
    .option('-o, --out <file>', 'new file for the drafts', 'grown.jsonl')
    .option(
      '--attribute <name>',
      'an attribute that gets more references, although it has enough; repeatable',
      collectValues,
    )
    .addHelpText(
      'after',
      `\nRates the references and up to ${MOST_POOL_ROWS} rows of the pool, and keeps the rows that fit ` +
        `attributes with fewer than ${ENOUGH_REFERENCES} references. ` +
        `Attributes of --attribute get ${ENOUGH_REFERENCES} more.\n\nExample: evaldiff grow log.jsonl prompts=support`,
    )
    .action(async (pool: string, overrides: string[], options: GrowOptions) => {
      await withCurrentProject(options, terminal, overrides, async (opened) => {
        const read = await readPool(pool, opened, options, terminal);
        const { found } = await asking(opened, (edges) =>
          askWithGrader(
            { opened, options, edges, terminal },
            (grader, price) => planRatings(read, grader, price),
            (_, tools) => rateAll(read, tools),
          ),
        );
        await writeGrown(found, opened, options, terminal);
      });
      done(0);
    });
};

interface PoolRead {
  attributes: Attribute[];
  /** Ids of attributes that get more references, although they have enough. */
  wanted: ReadonlySet<string>;
  task: string | null;
  references: ReferenceText[];
  pool: ReferenceText[];
}

function planRatings(
  { references, pool, attributes }: PoolRead,
  { target }: Grader,
  price: Price,
): GraderPlan {
  const texts = [...references, ...pool];
  const calls = texts.length * Math.ceil(attributes.length / PER_QUESTION);
  const ratings = RATING * texts.length * attributes.length;
  const tokens = {
    input_tokens: referenceTokens(texts) + calls * GROW_FRAME + ratings,
    output_tokens: ratings,
  };
  return {
    words: `${counted(references.length, 'reference')} and ${counted(pool.length, 'row')} of the pool`,
    calls,
    forecast: priceCounts([{ purpose: 'qualeval', target, calls, ...tokens }], 0, price),
    problems: [],
  };
}

async function rateAll(read: PoolRead, tools: AskTools): Promise<Grown> {
  const { attributes, wanted, task, references, pool } = read;
  const rate = (text: ReferenceText) => rateReference(text, attributes, { ...tools, task });
  const known = await Promise.all(references.map(rate));
  const rated = await Promise.all(
    pool.map(async (reference) => ({ reference, ratings: await rate(reference) })),
  );
  return growAttributes(attributes, wanted, known, rated);
}

async function readPool(
  pool: string,
  { project, tree }: Opened,
  options: GrowOptions,
  terminal: Terminal,
): Promise<PoolRead> {
  const { directory, out } = options;
  const { cwd } = terminal;
  const found: Problem[] = existsSync(resolve(cwd, directory, out))
    ? [problem(out, 'already exists; choose another with --out')]
    : [];
  const rows = await readFile(resolve(cwd, pool))
    .then((content) => readRows(pool, content, found))
    .catch(() => {
      found.push(problem(pool, 'does not exist or cannot be read'));
      return [];
    });
  const reading = { source: 'head' as const, chosen: true };
  const { pinned, problems } = await readPinned(null, { tree, project }, reading);
  found.push(...problems);
  const [suite, ...others] = project.suites;
  if (suite === undefined || others.length > 0)
    found.push(problem(null, 'grow works on one prompt; name it, for example prompts=support'));
  if (found.length > 0 || suite === undefined) throw new UserError(found);
  const path = suite.prompt.file;
  const attributes = pinned === null ? [] : pinnedFor(pinned, path);
  if (pinned === null || attributes.length === 0)
    throw userError(
      project.settings.qualeval.attributes,
      'has no attributes of this prompt; run evaldiff discover first',
    );
  const references = referenceTexts(suite.tests.references);
  const names = suite.prompt.variables.map(({ name }) => name);
  const all = poolReferences(pool, rows, names, references);
  const random = createRandom(`grow ${project.settings.seed}`);
  return {
    ...{ attributes, task: taskFor(pinned, path), references },
    wanted: wantedAttributes(attributes, options),
    pool: shuffle(all, random).slice(0, MOST_POOL_ROWS),
  };
}

function wantedAttributes(
  attributes: readonly Attribute[],
  { attribute: names = [] }: GrowOptions,
): Set<string> {
  const found = names.map((name) => {
    const own = attributes.find(
      (each) => each.id === name || foldName(each.name) === foldName(name),
    );
    const known = firstWords(attributes.map((each) => each.name));
    if (own === undefined) throw userError(null, `--attribute ${name} is not one of ${known}`);
    return own.id;
  });
  return new Set(found);
}

async function writeGrown(
  grown: Grown,
  { session: { workTree } }: Opened,
  { directory, out }: GrowOptions,
  terminal: Terminal,
): Promise<void> {
  for (const { attribute, before, after } of grown.thin)
    terminal.out(
      `${logLine(attribute.name)}: ${counted(before, 'reference')}, ${after} with the drafts\n`,
    );
  if (grown.drafts.length === 0)
    throw userError(
      null,
      grown.thin.length === 0
        ? `every attribute has at least ${ENOUGH_REFERENCES} references, ` +
            'so nothing was written; name one with --attribute'
        : 'no row of the pool fits an attribute with too few references, so nothing was written',
    );
  const folder = resolve(terminal.cwd, directory);
  await writeNewFiles(folder, new Map([[join('', out), referenceLines(grown)]]), workTree);
  terminal.out(
    `\nwrote ${counted(grown.drafts.length, 'draft')} to ${logLine(out)}. Add what is expected, ` +
      'then name the file in the tests: references_from: FILE\n',
  );
}

/** With fewer references, only large drops of an attribute are detected. */
const ENOUGH_REFERENCES = 8;

/** Omits incomplete rows, duplicates and rows whose input is in `known`. */
function poolReferences(
  file: string,
  rows: readonly DataRow[],
  variables: readonly string[],
  known: readonly ReferenceText[],
): ReferenceText[] {
  const seen = new Set(known.map(({ input }) => canonicalJson(input)));
  const found = rows.flatMap(({ line, value }): ReferenceText[] => {
    const from = ownEntry(value, 'input') ?? value;
    const input = isMap(from) ? poolInput(from, variables) : null;
    return input === null
      ? []
      : [{ id: `${file}:${line}`, input, expected: ownEntry(value, 'expected') }];
  });
  if (found.length === 0)
    throw new UserError([
      problem(
        { file, line: rows[0]?.line ?? 0 },
        "no row has the prompt's variables; a row is a map such as " +
          `${example(variables)}, or has one as "input"`,
      ),
    ]);
  return found.filter(({ input }) => {
    const key = canonicalJson(input);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function poolInput(from: JsonMap, variables: readonly string[]): Record<string, Scalar> | null {
  const values = variables.map((name) => [name, ownEntry(from, name)]);
  const isWhole = values.every(
    ([, value]) => value !== undefined && value !== null && typeof value !== 'object',
  );
  return isWhole ? (Object.fromEntries(values) as Record<string, Scalar>) : null;
}

function example(variables: readonly string[]): string {
  return JSON.stringify(Object.fromEntries(variables.map((name) => [name, '…'])));
}

interface Grown {
  drafts: { reference: ReferenceText; attributes: string[] }[];
  thin: { attribute: Attribute; before: number; after: number }[];
}

/** Chooses references from `pool` for attributes that have too few, and more for `wanted` ones. */
function growAttributes(
  attributes: readonly Attribute[],
  wanted: ReadonlySet<string>,
  references: readonly Ratings[],
  pool: readonly { reference: ReferenceText; ratings: Ratings }[],
): Grown {
  const isMember = (ratings: Ratings, { id }: Attribute) =>
    (ratingScore(ratings, id) ?? 0) >= MEMBER_AFFINITY;
  const before = new Map(
    attributes.map((own) => [own, references.filter((each) => isMember(each, own)).length]),
  );
  const chosen = new Set<(typeof pool)[number]>();
  const countOf = (own: Attribute) =>
    (before.get(own) ?? 0) + [...chosen].filter(({ ratings }) => isMember(ratings, own)).length;
  const goals = new Map(
    attributes.map((own) => {
      const more = wanted.has(own.id) ? (before.get(own) ?? 0) : 0;
      return [own, more + ENOUGH_REFERENCES];
    }),
  );
  const missing = (own: Attribute) => (goals.get(own) ?? 0) - countOf(own);
  const thin = attributes.filter((own) => missing(own) > 0);
  for (const own of thin) {
    const fitting = pool
      .filter((row) => !chosen.has(row) && isMember(row.ratings, own))
      .sort(
        (a, b) => (ratingScore(b.ratings, own.id) ?? 0) - (ratingScore(a.ratings, own.id) ?? 0),
      );
    for (const row of fitting.slice(0, Math.max(0, missing(own)))) chosen.add(row);
  }
  return {
    drafts: [...chosen].map(({ reference, ratings }) => ({
      reference,
      attributes: attributes.filter((own) => isMember(ratings, own)).map(({ id }) => id),
    })),
    thin: thin.map((attribute) => ({
      attribute,
      before: before.get(attribute) ?? 0,
      after: countOf(attribute),
    })),
  };
}

/** Tags each line with its attributes. A person must add missing expected values. */
function referenceLines({ drafts }: Grown): string {
  return drafts
    .map(({ reference: { input, expected }, attributes }) =>
      JSON.stringify({ input, ...(expected === undefined ? {} : { expected }), tags: attributes }),
    )
    .map((line) => `${line}\n`)
    .join('');
}
