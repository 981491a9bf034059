import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = join(root, 'site/pages');

/** The workflow sets both; without it, links to other files of the repository use the docs' own example. */
const repository = process.env['GITHUB_REPOSITORY'] ?? 'your-account/evaldiff';
const ref = process.env['GITHUB_SHA'] ?? 'main';

/** Where a page of the repository is on the site, or null if it is not a page. */
function siteOf(path: string): string | null {
  if (path === 'README.md' || path === 'index.md') return 'index.md';
  const page = /^docs\/([\w-]+\.md)$/.exec(path)?.[1];
  if (page !== undefined) return page;
  return /^(?:SECURITY|benchmarks\/\w+)\.md$/.test(path) ? path.toLowerCase() : null;
}

/** GitHub's anchor of a heading, because the pages are also read there. */
function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

/** The address of a link from one file of the repository to another. */
function linkFrom(file: string, href: string): string {
  const [, path = '', rest = ''] = /^([^#]*)(#.*)?$/.exec(href) ?? [];
  if (path === '' || /^[a-z]+:/.test(href) || path.startsWith('/')) return href;
  const target = relative(root, join(root, dirname(file), path));
  if (/\.(?:png|svg)$/.test(target)) return href;
  const page = siteOf(target);
  if (page !== null) return `/${page}${rest}`;
  if (!existsSync(join(root, target))) throw new Error(`${file}: ${href} does not exist`);
  return `https://github.com/${repository}/blob/${ref}/${target}${rest}`;
}

const item = (text: string, link: string) => ({ text, link: `/${link}` });

export default defineConfig({
  title: 'evaldiff',
  description: 'Regression testing for LLM prompts, in the pull request',
  base: process.env['SITE_BASE'] ?? '/',
  // scripts/site.ts copies the pages there.
  srcDir: 'pages',
  outDir: '../build/site',
  cacheDir: '../build/site-cache',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  // The theme's home page has no landmark.
  transformHtml: (html) => html.replace('class="VPHome"', 'role="main" class="VPHome"'),
  rewrites: (id) => siteOf(id) ?? id,
  // Pictures stay where the pages name them.
  vue: { template: { transformAssetUrls: false } },
  markdown: {
    anchor: { slugify: anchor },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(md) {
      md.core.ruler.push('links-and-code', (state) => {
        const { path, realPath = path } = state.env as { path: string; realPath?: string };
        const file = relative(pages, realPath);
        for (const token of state.tokens)
          for (const child of token.children ?? []) {
            if (child.type === 'link_open')
              child.attrSet('href', linkFrom(file, child.attrGet('href') ?? ''));
            // Without it, Vue evaluates the templates that the docs show.
            if (child.type === 'code_inline') child.attrSet('v-pre', '');
          }
      });
    },
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        // Figures of simulations would come first for many words.
        _render: (source, env, md) =>
          env.relativePath.startsWith('benchmarks/') ? '' : md.render(source, env),
      },
    },
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: `https://github.com/${repository}` }],
    nav: [
      item('Start', 'first-suite'),
      item('Write tests', 'suites'),
      item('Read a verdict', 'verdicts'),
      item('Reference', 'command-line'),
    ],
    sidebar: [
      {
        text: 'Start',
        items: [
          item('My first suite', 'first-suite'),
          item('Connect a model', 'models'),
          item('The workbench', 'workbench'),
          item('Your own release', 'own-release'),
          item('Required check', 'required-check'),
          item('GitLab, Bitbucket, Azure DevOps', 'other-ci'),
          item('My first week', 'first-week'),
          item('From promptfoo', 'from-promptfoo'),
          item('From OpenAI Evals', 'from-openai-evals'),
          item('From other tools', 'migrate'),
        ],
      },
      {
        text: 'Write tests',
        items: [
          item('Suites', 'suites'),
          item('Metrics at a glance', 'metric-table'),
          item('Rubrics', 'rubrics'),
          item('Values and roll-ups', 'values'),
          item('Code answers', 'code-answers'),
          item('Conversations', 'conversations'),
          item('Skills and AGENTS.md', 'agents'),
          item('What happens in an agent run', 'agent-runs'),
          item('Your own program', 'programs'),
        ],
      },
      {
        text: 'Read a verdict',
        items: [
          item('What red, green and grey mean', 'verdicts'),
          item('The comment', 'comment'),
          item('Which line caused it', 'causes'),
          item('What each code means', 'codes'),
          item('Which line is tested', 'coverage'),
          item('Attributes', 'attributes'),
          item('Models that change', 'drift'),
        ],
      },
      {
        text: 'Reference',
        items: [
          item('Command line', 'command-line'),
          item('GitHub Action', 'action'),
          item('Every metric', 'metrics'),
          item('Models', 'vendors'),
          item('Costs', 'costs'),
          item('Sweeps', 'sweeps'),
          item('Forks', 'forks'),
          item('Other tools', 'beside-other-tools'),
          item('Security', 'security'),
        ],
      },
      {
        text: 'For developers',
        items: [
          item('How a verdict is reached', 'statistics'),
          item('Benchmarks', 'benchmarks/readme'),
          item('Simulated verdicts', 'benchmarks/verdicts'),
          {
            text: 'Change evaldiff',
            link: `https://github.com/${repository}/blob/${ref}/CONTRIBUTING.md`,
          },
        ],
      },
    ],
  },
});
