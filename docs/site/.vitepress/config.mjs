// The documentation as HTML: `npm run docs:html` writes it to dist/docs. The pages are docs/*.md themselves. A link to a page or a heading that does
// not exist ends the build; links to files outside docs/ become text, since they are not a part of the site.
import { existsSync } from 'node:fs';
import path from 'node:path';

const docs = path.resolve(import.meta.dirname, '../..');

const PAGES = [
  ['Start', ['getting-started', 'console', 'configuration', 'compatibility', 'limitations']],
  ['Search', ['analysis', 'aggregations', 'ingest']],
  ['Run', ['operations', 'security', 'cluster', 'benchmarks']],
  ['Front', ['front', 'front/guide', 'front/differences']],
  ['Reference', ['reference/rest-api', 'reference/analysis', 'reference/privileges', 'reference/front-directives']],
  ['Internals', ['internals/notes', 'internals/segment-format', 'internals/snapshot-format', 'internals/front-compared']],
];

const titleOf = (page) => {
  const words = page.split('/').at(-1).replaceAll('-', ' ').replace('rest api', 'REST API');
  return words[0].toUpperCase() + words.slice(1);
};

/** Links that leave docs/ are shown without the link, if their file exists. @throws Error it does not */
function withoutOuterLinks(markdown) {
  markdown.core.ruler.push('outer-links', ({ tokens, env }) => {
    for (const { children } of tokens) {
      if (!children) continue;
      let isInside = false;
      for (const token of children) {
        if (token.type === 'link_open') {
          const href = token.attrGet('href') ?? '';
          const target = path.resolve(docs, path.dirname(env.relativePath ?? ''), decodeURIComponent(href.replace(/#.*$/, '')));
          isInside = !/^(?:[a-z]+:|#)/i.test(href) && href !== '' && path.relative(docs, target).startsWith('..');
          if (isInside && !existsSync(target)) throw new Error(`${env.relativePath}: there is no ${href}`);
        }
        const isEnd = token.type === 'link_close';
        if (isInside && /^link_/.test(token.type)) {
          token.type = 'html_inline';
          token.tag = '';
          token.content = '';
        }
        if (isEnd) isInside = false;
      }
    }
  });
}

/** The pages are outside the folder that has the packages: the browser's bundle takes Vue from there, the one that renders pages imports it. */
const vueOfSite = {
  name: 'vue-of-site',
  enforce: 'pre',
  resolveId(id, _, { ssr }) {
    if (!/^vue(?:\/|$)/.test(id)) return null;
    return ssr ? { id, external: true } : this.resolve(id, import.meta.filename, { skipSelf: true });
  },
};

export default {
  title: 'Gannet',
  description: 'Full-text search and analytics engine with the Elasticsearch REST API',
  srcDir: '..',
  srcExclude: ['site/**'],
  outDir: '../../dist/docs',
  cacheDir: './node_modules/.vitepress',
  base: process.env.DOCS_BASE ?? '/',
  vite: { plugins: [vueOfSite] },
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  rewrites: { 'getting-started.md': 'index.md' },
  markdown: {
    // Texts contain mustache templates, which Vue would evaluate.
    config: (markdown) => {
      withoutOuterLinks(markdown);
      const text = markdown.renderer.rules.text;
      markdown.renderer.rules.text = (...args) => text(...args).replaceAll('{{', '&#123;&#123;');
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: PAGES.map(([text, pages]) => ({
      text,
      items: pages.map((page) => ({ text: titleOf(page), link: page === 'getting-started' ? '/' : `/${page}` })),
    })),
  },
};
