/** State as the API shows it. Every field that GitHub's description requires is there. */
import type {
  Account,
  App,
  CheckAnnotation,
  CheckRun,
  Comment,
  Pull,
  ReviewComment,
  State,
} from './state.ts';

type Wire = Record<string, unknown>;
const SITE = 'https://github.example';

export function userObject(api: string, { login, id, type }: Account): Wire {
  const url = `${api}/users/${encodeURIComponent(login)}`;
  const lists = [
    'followers',
    'following',
    'gists',
    'starred',
    'subscriptions',
    'organizations',
    'repos',
    'events',
    'received_events',
  ];
  return {
    login,
    id,
    node_id: `U_${id}`,
    type,
    site_admin: false,
    gravatar_id: '',
    url,
    html_url: `${SITE}/${encodeURIComponent(login)}`,
    avatar_url: `${SITE}/avatars/${id}`,
    ...Object.fromEntries(lists.map((name) => [`${name}_url`, `${url}/${name}`])),
  };
}

const REPOSITORY_URLS = [
  'archive',
  'assignees',
  'blobs',
  'branches',
  'collaborators',
  'comments',
  'commits',
  'compare',
  'contents',
  'contributors',
  'deployments',
  'downloads',
  'events',
  'forks',
  'git_commits',
  'git_refs',
  'git_tags',
  'hooks',
  'issue_comment',
  'issue_events',
  'issues',
  'keys',
  'labels',
  'languages',
  'merges',
  'milestones',
  'notifications',
  'pulls',
  'releases',
  'stargazers',
  'statuses',
  'subscribers',
  'subscription',
  'tags',
  'teams',
  'trees',
  'clone',
  'git',
  'ssh',
  'svn',
];

export function repositoryObject(api: string, state: State, fullName: string): Wire {
  const [owner = '', name = ''] = fullName.split('/');
  const url = `${api}/repos/${fullName}`;
  const now = state.now().toISOString();
  return {
    id: 3000 + fullName.length,
    node_id: `R_${fullName}`,
    name,
    full_name: fullName,
    private: state.private,
    fork: fullName !== state.repository,
    url,
    html_url: `${SITE}/${fullName}`,
    owner: userObject(api, { login: owner, id: 1000 + owner.length, type: 'Organization' }),
    description: null,
    default_branch: 'main',
    homepage: null,
    language: null,
    archived: false,
    disabled: false,
    mirror_url: null,
    license: null,
    has_downloads: true,
    has_issues: true,
    has_projects: true,
    has_wiki: true,
    has_pages: false,
    forks: 0,
    forks_count: 0,
    open_issues: 0,
    open_issues_count: 0,
    size: 1,
    stargazers_count: 0,
    watchers: 0,
    watchers_count: 0,
    pushed_at: now,
    created_at: now,
    updated_at: now,
    ...Object.fromEntries(REPOSITORY_URLS.map((kind) => [`${kind}_url`, `${url}/${kind}`])),
  };
}

export function pullObject(api: string, state: State, pull: Pull): Wire {
  const url = `${api}/repos/${state.repository}/pulls/${pull.number}`;
  const issue = `${api}/repos/${state.repository}/issues/${pull.number}`;
  const html = `${SITE}/${state.repository}/pull/${pull.number}`;
  const now = state.now().toISOString();
  const links = {
    self: url,
    html,
    issue,
    comments: `${issue}/comments`,
    commits: `${url}/commits`,
    statuses: `${api}/repos/${state.repository}/statuses/${pull.head.sha}`,
    review_comments: `${url}/comments`,
    review_comment: `${api}/repos/${state.repository}/pulls/comments{/number}`,
  };
  const side = ({ ref, sha }: { ref: string; sha: string }, repository: string | null) => ({
    label: `${repository?.split('/')[0] ?? 'unknown'}:${ref}`,
    ref,
    sha,
    user: userObject(api, pull.user),
    repo: repository === null ? null : repositoryObject(api, state, repository),
  });
  return {
    id: 400_000 + pull.number,
    node_id: `PR_${pull.number}`,
    number: pull.number,
    state: pull.state,
    locked: pull.locked,
    title: pull.title,
    body: pull.body ?? null,
    user: userObject(api, pull.user),
    url,
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    issue_url: issue,
    comments_url: links.comments,
    commits_url: links.commits,
    statuses_url: links.statuses,
    review_comments_url: links.review_comments,
    review_comment_url: links.review_comment,
    _links: Object.fromEntries(Object.entries(links).map(([name, href]) => [name, { href }])),
    base: side(pull.base, state.repository),
    head: side(pull.head, pull.head.repository),
    labels: pull.labels.map((name, index) => ({
      id: 5000 + index,
      node_id: `L_${index}`,
      url: `${api}/labels/${index}`,
      name,
      color: 'ededed',
      default: false,
      description: pull.labelDescriptions?.[name] ?? '',
    })),
    assignee: null,
    milestone: null,
    auto_merge: null,
    author_association: 'CONTRIBUTOR',
    merge_commit_sha: null,
    created_at: now,
    updated_at: now,
    closed_at: pull.state === 'closed' ? now : null,
    merged_at: null,
    draft: false,
  };
}

/** What only the answer for one pull request has. */
export function wholePullObject(api: string, state: State, pull: Pull): Wire {
  return {
    ...pullObject(api, state, pull),
    additions: 1,
    deletions: 1,
    changed_files: 1,
    commits: 1,
    comments: state.comments.filter(({ issue }) => issue === pull.number).length,
    review_comments: 0,
    mergeable: true,
    mergeable_state: 'clean',
    merged: false,
    merged_by: null,
    maintainer_can_modify: false,
  };
}

export function commentObject(api: string, state: State, comment: Comment): Wire {
  return {
    id: comment.id,
    node_id: `IC_${comment.id}`,
    body: comment.body,
    user: userObject(api, comment.user),
    author_association: 'CONTRIBUTOR',
    url: `${api}/repos/${state.repository}/issues/comments/${comment.id}`,
    issue_url: `${api}/repos/${state.repository}/issues/${comment.issue}`,
    html_url: `${SITE}/${state.repository}/pull/${comment.issue}#issuecomment-${comment.id}`,
    created_at: comment.createdAt.toISOString(),
    updated_at: comment.updatedAt.toISOString(),
    performed_via_github_app: null,
  };
}

export function reviewCommentObject(api: string, state: State, comment: ReviewComment): Wire {
  const { id, line, startLine } = comment;
  const url = `${api}/repos/${state.repository}/pulls/comments/${id}`;
  const html = `${SITE}/${state.repository}/pull/${comment.pull}#discussion_r${id}`;
  const pull = `${api}/repos/${state.repository}/pulls/${comment.pull}`;
  return {
    id,
    node_id: `PRRC_${id}`,
    pull_request_review_id: 900_000 + id,
    body: comment.body,
    user: userObject(api, comment.user),
    author_association: 'CONTRIBUTOR',
    path: comment.path,
    diff_hunk: '@@ -1 +1 @@',
    commit_id: comment.commit,
    original_commit_id: comment.commit,
    line,
    side: 'RIGHT',
    start_line: startLine,
    start_side: startLine === null ? null : 'RIGHT',
    ...(comment.inReplyTo === null ? {} : { in_reply_to_id: comment.inReplyTo }),
    subject_type: 'line',
    url,
    html_url: html,
    pull_request_url: pull,
    created_at: comment.createdAt.toISOString(),
    updated_at: comment.updatedAt.toISOString(),
    _links: { self: { href: url }, html: { href: html }, pull_request: { href: pull } },
  };
}

export function appObject(api: string, { id, slug }: App): Wire {
  const time = '2018-07-30T09:30:17Z';
  return {
    id,
    slug,
    node_id: `A_${id}`,
    name: slug,
    description: null,
    owner: userObject(api, { login: 'github', id: 9919, type: 'Organization' }),
    external_url: `${SITE}/apps/${slug}`,
    html_url: `${SITE}/apps/${slug}`,
    created_at: time,
    updated_at: time,
    permissions: { checks: 'write' },
    events: [],
  };
}

export function checkObject(api: string, state: State, run: CheckRun): Wire {
  const url = `${api}/repos/${state.repository}/check-runs/${run.id}`;
  const html = `${SITE}/${state.repository}/runs/${run.id}`;
  return {
    id: run.id,
    node_id: `CR_${run.id}`,
    head_sha: run.headSha,
    external_id: run.externalId,
    name: run.name,
    url,
    html_url: html,
    status: run.status,
    // For the workflow's own token GitHub puts its own page here, whatever was asked for.
    details_url: run.app.slug === 'github-actions' ? html : (run.detailsUrl ?? html),
    conclusion: run.conclusion,
    started_at: run.startedAt,
    completed_at: run.completedAt,
    check_suite: { id: 8000 },
    app: appObject(api, run.app),
    pull_requests: [],
    output: {
      title: run.title,
      summary: run.summary,
      text: run.text,
      annotations_count: run.annotations.length,
      annotations_url: `${url}/annotations`,
    },
  };
}

export function annotationObject(state: State, run: CheckRun, annotation: CheckAnnotation): Wire {
  return {
    path: annotation.path,
    blob_href: `${SITE}/${state.repository}/blob/${run.headSha}/${annotation.path}`,
    start_line: annotation.start_line,
    end_line: annotation.end_line,
    start_column: annotation.start_column ?? null,
    end_column: annotation.end_column ?? null,
    annotation_level: annotation.annotation_level,
    title: annotation.title ?? null,
    message: annotation.message,
    raw_details: annotation.raw_details ?? null,
  };
}
