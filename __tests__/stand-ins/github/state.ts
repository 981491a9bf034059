/** The stand-in's state. Tests read and change it before and between requests. */
export interface Account {
  login: string;
  id: number;
  type: 'User' | 'Bot' | 'Organization';
}
export interface App {
  id: number;
  slug: string;
}
export type Access = 'none' | 'read' | 'write';
export type Scope = 'contents' | 'pull_requests' | 'issues' | 'checks';

export interface Token {
  account: Account;
  /** The app that owns the token. Null for a personal token, which cannot write check runs. */
  app: App | null;
  permissions: Record<Scope, Access>;
}

export interface Pull {
  number: number;
  title: string;
  state: 'open' | 'closed';
  locked: boolean;
  user: Account;
  base: { ref: string; sha: string };
  /** `repository`: owner/name; null if the fork was deleted. */
  head: { ref: string; sha: string; repository: string | null };
  labels: string[];
  body?: string;
  labelDescriptions?: Record<string, string>;
  events?: PullEvent[];
  /** Lines of head that the diff shows, by file: a range per hunk. */
  diff?: Record<string, (readonly [number, number])[]>;
}

/** An event of a pull request's history, such as `labeled`. */
export interface PullEvent {
  event: string;
  at: Date;
  actor: Account;
  label?: string;
}

export interface Comment {
  id: number;
  issue: number;
  user: Account;
  body: string;
  createdAt: Date;
  updatedAt: Date;
}

/** A comment on head's lines of the diff. */
export interface ReviewComment extends Omit<Comment, 'issue'> {
  pull: number;
  path: string;
  /** Null for a single line. */
  startLine: number | null;
  /** Null if the comment is outdated because its lines have changed. */
  line: number | null;
  commit: string;
  /** The comment that it replies to; null if it starts a conversation. */
  inReplyTo: number | null;
}

export interface Issue {
  number: number;
  user: Account;
  title: string;
  body: string;
  state: string;
  labels: string[];
  edits: number;
}

export interface CheckAnnotation {
  path: string;
  start_line: number;
  end_line: number;
  start_column?: number;
  end_column?: number;
  annotation_level: string;
  message: string;
  title?: string;
  raw_details?: string;
}

export interface CheckRun {
  id: number;
  app: App;
  name: string;
  headSha: string;
  status: string;
  conclusion: string | null;
  externalId: string | null;
  detailsUrl: string | null;
  startedAt: string | null;
  completedAt: string | null;
  title: string | null;
  summary: string | null;
  text: string | null;
  annotations: CheckAnnotation[];
}

export interface Exchange {
  method: string;
  path: string;
  query: Record<string, string>;
  body: unknown;
  token: string | null;
  operation: string | null;
  status: number;
  /** The reply, if it was JSON. */
  reply: unknown;
}

export interface State {
  repository: string;
  private: boolean;
  pulls: Map<number, Pull>;
  /** Role in the repository by login. Other logins do not exist. */
  roles: Map<string, string>;
  comments: Comment[];
  /** Issues that are not pull requests. */
  issues: Issue[];
  reviewComments: ReviewComment[];
  checkRuns: CheckRun[];
  tokens: Map<string, Token>;
  exchanges: Exchange[];
  /**
   * Client requests that violate GitHub's description or rules, and answers of the stand-in that
   * violate the description.
   */
  violations: string[];
  /** Whether a workflow's token may update its check runs. Reports of GitHub's behaviour differ. */
  statusUpdates: boolean;
  /** The merge base of two commits. Null if the repository lacks one. */
  mergeBase(base: string, head: string): string | null;
  now(): Date;
  nextId(): number;
}

export const ACTIONS_APP: App = { id: 15368, slug: 'github-actions' };
export const ACTIONS_BOT: Account = { login: 'github-actions[bot]', id: 41898282, type: 'Bot' };

/** The token of a workflow run: read-only unless the job's `permissions:` allow more. */
export function workflowToken(permissions: Partial<Record<Scope, Access>> = {}): Token {
  const least = {
    contents: 'read',
    pull_requests: 'none',
    issues: 'none',
    checks: 'none',
  } as const;
  return { account: ACTIONS_BOT, app: ACTIONS_APP, permissions: { ...least, ...permissions } };
}

/** A personal access token of a user with write access. */
export function personalToken(account: Account): Token {
  return {
    account,
    app: null,
    permissions: { contents: 'write', pull_requests: 'write', issues: 'write', checks: 'none' },
  };
}

export function createState(
  repository: string,
  tokens: Record<string, Token>,
  now: () => Date,
): State {
  let id = 1000;
  return {
    repository,
    private: false,
    statusUpdates: false,
    mergeBase: () => null,
    now,
    nextId: () => (id += 1),
    pulls: new Map(),
    comments: [],
    issues: [],
    reviewComments: [],
    checkRuns: [],
    roles: new Map([['ada-example', 'write']]),
    tokens: new Map(Object.entries(tokens)),
    exchanges: [],
    violations: [],
  };
}

export function addPull(state: State, pull: Partial<Pull> & Pick<Pull, 'number'>): Pull {
  const whole: Pull = {
    title: 'A change',
    state: 'open',
    locked: false,
    user: { login: 'ada-example', id: 2001, type: 'User' },
    labels: [],
    base: { ref: 'main', sha: 'b'.repeat(40) },
    head: { ref: 'topic', sha: 'a'.repeat(40), repository: state.repository },
    ...pull,
  };
  state.pulls.set(whole.number, whole);
  return whole;
}

export function addComment(state: State, issue: number, user: Account, body: string): Comment {
  const now = { createdAt: state.now(), updatedAt: state.now() };
  const comment = { id: state.nextId(), issue, user, body, ...now };
  state.comments.push(comment);
  return comment;
}

export function addReviewComment(
  state: State,
  comment: Pick<ReviewComment, 'pull' | 'user' | 'body' | 'path' | 'line'> & Partial<ReviewComment>,
): ReviewComment {
  const whole = {
    id: state.nextId(),
    startLine: null,
    commit: state.pulls.get(comment.pull)?.head.sha ?? '',
    inReplyTo: null,
    createdAt: state.now(),
    updatedAt: state.now(),
    ...comment,
  };
  state.reviewComments.push(whole);
  return whole;
}
