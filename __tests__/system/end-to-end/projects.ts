import { join } from 'node:path';
import { luck } from '../../stand-ins/luck.ts';
import type { Script } from '../../stand-ins/models/server.ts';
import { hasRules, plannedOrigin } from '../../stand-ins/planned-origin.ts';
import {
  bareOrigin,
  createRepository,
  writeFiles,
  type FixtureFiles,
  type FixtureRepository,
} from '../../stand-ins/repository.ts';

/** A pull request in a bare origin, with refs as on GitHub. */
export interface Change {
  origin: FixtureRepository;
  /** The base branch's tip as in the event: the branch point unless `main` has newer commits. */
  base: string;
  head: string;
  /** The commit that `pull_request` checks out; null if the two sides conflict. */
  merge: string | null;
}

export interface History {
  /** Commits on `main` after the branch point. */
  behind?: FixtureFiles[];
  /** Further commits on the branch. */
  ahead?: FixtureFiles[];
}

/** `main` has `base`; the branch `topic` adds the files of `head` (null deletes a file). */
export function changeOf(
  base: FixtureFiles,
  head: FixtureFiles,
  { behind = [], ahead = [] }: History = {},
): Change {
  if (behind.length === 0 && ![base, head, ...ahead].some(hasRules))
    return straightChange(base, [head, ...ahead]);
  const repository = createRepository();
  repository.commit('Base', base);
  repository.git('switch', '--quiet', '--create', 'topic');
  const heads = [head, ...ahead].map((files, index) =>
    repository.commit(`Change ${index + 1}`, files),
  );
  repository.git('switch', '--quiet', 'main');
  for (const [index, files] of behind.entries()) repository.commit(`Main ${index + 1}`, files);
  return published(repository, heads.at(-1)!);
}

/** A change whose base branch did not move, so the merge has the same files as head. */
function straightChange(base: FixtureFiles, heads: readonly FixtureFiles[]): Change {
  const commits = heads.map((files, at) => ({
    ...{ ref: 'refs/heads/topic', parents: [at], files, number: at + 2 },
    message: `Change ${at + 1}`,
  }));
  const { origin, ids } = plannedOrigin('topic', [
    { ref: 'refs/heads/main', parents: [], message: 'Base', files: base, number: 1 },
    ...commits,
    {
      ...{ ref: MERGE, parents: [0, heads.length], message: 'Merge', number: heads.length + 1 },
      files: Object.assign({}, ...heads) as FixtureFiles,
    },
  ]);
  const [first = '', last = '', merge = ''] = [ids[0], ids[heads.length], ids.at(-1)];
  writeFiles(join(origin.directory, 'refs', 'pull', '12'), { head: `${last}\n` });
  return { origin, base: first, head: last, merge };
}

const MERGE = 'refs/pull/12/merge';

function published(repository: FixtureRepository, head: string): Change {
  const merging = ['merge', '--quiet', '--no-ff', '--no-gpg-sign', '-m', 'Merge', head];
  // Between the two ids, git prints the files that both sides changed.
  const ids = repository
    .all(
      ['rev-parse', 'main'],
      ['switch', '--quiet', '--detach', 'main'],
      ['-c', 'user.name=GitHub', '-c', 'user.email=noreply@example.com', ...merging],
      ['rev-parse', 'HEAD'],
      ['switch', '--quiet', 'topic'],
    )
    .split('\n');
  const [base = '', merge = ''] = [ids[0], ids.at(-1)];
  const origin = bareOrigin(repository);
  writeFiles(join(origin.directory, 'refs', 'pull', '12'), {
    head: `${head}\n`,
    merge: `${merge}\n`,
  });
  return { origin, base, head, merge };
}

/** Adds a commit to the pull request and updates its refs. */
export function pushed({ origin, base, head }: Change, files: FixtureFiles): Change {
  const repository = createRepository();
  repository.all(
    ['fetch', '--quiet', `file://${origin.directory}`, base, head],
    ['switch', '--quiet', '--create', 'topic', head],
  );
  const next = repository.commit('Fixed', files);
  repository.git('branch', '--force', 'main', base);
  return published(repository, next);
}

/** A linear history in a bare origin, and the ids of its commits. */
export function straight(...states: FixtureFiles[]) {
  const { origin, ids } = plannedOrigin(
    'main',
    states.map((files, at) => ({
      ...{ ref: 'refs/heads/main', files, message: `Step ${at}` },
      ...{ parents: at === 0 ? [] : [at - 1], number: at + 1 },
    })),
  );
  return { origin, commits: ids };
}

export interface Quiz {
  /** The system prompt. The scripted model follows it. */
  system?: string;
  questions?: number;
  /** Lines of the test file above `references`. */
  metrics?: string;
  model?: string;
  /** Lines of `evaldiff.yaml`. */
  settings?: string;
}

export const EXACT = 'metrics: [{ name: answer, uses: exact_match }]';

/** Six questions cannot rule out a small drop, so the tolerance is large. */
export const SETTINGS = `gate: { tolerance: 0.4 }
models:
  quiz-model: { provider: openai, endpoint: local, model: quiz-1, price: { input: 1, output: 2 } }
  quiz-claude: { provider: anthropic, endpoint: claude, model: claude-quiz }
`;

/** A prompt that asks numbered questions. The correct answer to question n is `answer n`. */
export function quiz({
  system = 'Be exact.',
  questions = 6,
  metrics = EXACT,
  model = 'quiz-model',
  settings = SETTINGS,
}: Quiz = {}): Record<string, string> {
  return {
    'evaldiff.yaml': settings,
    'prompts/quiz.yaml': quizPrompt(system, model),
    'prompts/tests/quiz.yaml': quizTests(questions, metrics),
  };
}

export function quizPrompt(system: string, model = 'quiz-model', name = 'quiz'): string {
  return `defaults: [tests/${name}]
name: ${name}
model: ${model}
temperature: 0.5
variables:
  - name: question
messages:
  - role: system
    content: ${JSON.stringify(system)}
  - role: human
    content: "{question}"
`;
}

export function quizTests(questions = 6, metrics = EXACT): string {
  const references = Array.from({ length: questions }, (_, index) => {
    const n = String(index + 1);
    return `  - { id: q${n}, input: { question: "Question ${n}?" }, expected: "answer ${n}" }\n`;
  });
  return `${metrics}\nreferences:\n${references.join('')}`;
}

export const README = { 'README.md': 'About' };

export const testsOf = (questions: number, metrics = EXACT) => ({
  'prompts/tests/quiz.yaml': quizTests(questions, metrics),
});

export const promptOf = (system: string, model?: string) => ({
  'prompts/quiz.yaml': quizPrompt(system, model),
});

/** A prompt that makes `obedient` fail three of the six questions. */
export const WORSE = promptOf('Skip 1 2 3');

/** The same files in a subfolder of the repository. */
export const below = (folder: string, files: FixtureFiles): FixtureFiles =>
  Object.fromEntries(Object.entries(files).map(([path, entry]) => [`${folder}/${path}`, entry]));

/** Recorded answers to the six questions, for `n_tries` up to `tries`. */
export function recordings(
  [model, system, tries]: [model: string, system: string, tries: number],
  output: (question: number) => string,
): string {
  const messagesOf = (n: number) => [
    { role: 'system', content: system },
    { role: 'user', content: `Question ${n}?` },
  ];
  const requestOf = (n: number) => ({
    ...{ provider: 'replay', model, parameters: { temperature: 0.5 }, messages: messagesOf(n) },
  });
  const lines = [1, 2, 3, 4, 5, 6].flatMap((n) =>
    Array.from({ length: tries }, (_, at) =>
      JSON.stringify({ request: { ...requestOf(n), try: at }, reply: { output: output(n) } }),
    ),
  );
  return `${lines.join('\n')}\n`;
}

export function questionOf(messages: readonly { content: string }[]): number {
  return Number(/Question (\d+)/.exec(messages.at(-1)?.content ?? '')?.[1]);
}

/** A model that follows its system prompt: correct, except for the questions after "Skip". */
export const obedient: Script = ({ messages }) => {
  const n = questionOf(messages);
  const skipped =
    /Skip ([\d ]+)/
      .exec(messages[0]?.content ?? '')?.[1]
      ?.trim()
      .split(' ')
      .map(Number) ?? [];
  return { text: skipped.includes(n) ? 'no idea' : `answer ${n}` };
};

/**
 * A model that answers correctly with probability `passRate`. The n-th answer to a question is the
 * same in every run.
 */
export function chancy(passRate: (system: string, question: number) => number): Script {
  const asked = new Map<string, number>();
  return ({ messages }) => {
    const key = JSON.stringify(messages);
    const time = asked.get(key) ?? 0;
    asked.set(key, time + 1);
    const n = questionOf(messages);
    const isRight = luck(`${key} ${time}`) < passRate(messages[0]?.content ?? '', n);
    return { text: isRight ? `answer ${n}` : `no idea ${time}` };
  };
}
