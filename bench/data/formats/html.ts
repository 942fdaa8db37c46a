// HTML manuals split at their headings, without navigation, code and other parts that are not prose.
import { decodeEntities, type Section, stripNumbering, tidy } from './text.ts';

export interface HtmlPage {
  readonly title: string;
  readonly sections: readonly Section[];
}

export interface HtmlOptions {
  /** Keeps the contents of `pre`, and line breaks. */
  readonly keepPre?: boolean;
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));
const SKIPPED = words('script style nav svg noscript form button select textarea footer object template iframe math');
const VOID = words('area base br col embed hr img input link meta param source track wbr');
const BLOCKS = words(
  'p div li ul ol dl dt dd table tr section article blockquote figure figcaption header main aside pre body br hr h1 h2 h3 h4 h5 h6 center ' +
    'tbody thead caption title',
);
/** Values of class or id that mark navigation, tables of contents and the like in the manuals of these packages. */
const SKIPPED_CLASSES =
  /(?:^|[\s"'])(?:sphinxsidebar|sphinxsidebarwrapper|related|navheader|navfooter|breadcrumbs?|breadcrumb-?\w*|toc|toctree-wrapper|contents|table-of-contents|footer|headerlink|navigation|nav|navbar|navset\w*|sidebar|menu|genindex\w*|local-?toc|sub-nav|top-nav|sub-nav-list-\w+|skip-nav|editsection|mw-editsection|printfooter|noprint|qindex|t-navbar\w*|t-nv-\w+|navleft|navright|tocset|navsettop|navsetbottom|nav_panel|node|mini-toc|chlinkprevnext\w*|chlinktop\w*|ChapSects|ContSect|indexterm|copyright|legalnotice|revhistory|authorgroup|langs|toplang|bottomlang|qv)(?=[\s"'>]|$)/;
const TOKEN = /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<[!?][^>]*>|<(\/?)([a-zA-Z][\w:.-]*)((?:[^>"']|"[^"]*"|'[^']*')*)>|([^<]+)|</g;

export function htmlPage(html: string, { keepPre = false }: HtmlOptions = {}): HtmlPage {
  const splitter = new HtmlSplitter(keepPre);
  for (const [, slash, name, attributes, text] of html.matchAll(TOKEN)) {
    if (name) splitter.tag(name.toLowerCase(), slash === '/', attributes);
    else if (text !== undefined) splitter.text(text);
  }
  return splitter.end();
}

/** The whole text of a fragment, headings included. */
export function htmlText(html: string): string {
  return htmlPage(html)
    .sections.map(({ heading, text }) => (heading ? `${heading}\n${text}` : text))
    .join('\n')
    .trim();
}

class HtmlSplitter {
  readonly #keepPre: boolean;
  readonly #sections: Section[] = [];
  #title = '';
  #isTitle = false;
  #heading = '';
  #anchor = '';
  #body = '';
  /** Heading element that is open, '' if none is. */
  #headingTag = '';
  #headingText = '';
  /** Last id or name: the anchor of the next section. */
  #lastId = '';
  /** Element that is skipped, '' if none is, and how many of its name are open. */
  #skipped = '';
  #depth = 0;

  constructor(keepPre: boolean) {
    this.#keepPre = keepPre;
  }

  tag(name: string, isEnd: boolean, attributes: string): void {
    const isEmpty = VOID.has(name) || attributes.endsWith('/');
    if (this.#skipped !== '') {
      if (name === this.#skipped) this.#countSkipped(isEnd, isEmpty);
      return;
    }
    if (isEnd ? this.#closes(name) : this.#opens(name, attributes, isEmpty)) return;
    if (BLOCKS.has(name)) this.#body += '\n';
    else if (name === 'td' || name === 'th') this.#body += ' ';
  }

  text(html: string): void {
    if (this.#skipped !== '') return;
    const text = decodeEntities(html).replace(/\u00ad/g, '');
    if (this.#isTitle) this.#title += text;
    else if (this.#headingTag !== '') this.#headingText += text;
    else this.#body += this.#keepPre ? text : text.replace(/\n/g, ' ');
  }

  end(): HtmlPage {
    this.#endSection();
    return { title: tidy(this.#title).replace(/\n/g, ' '), sections: this.#sections };
  }

  #countSkipped(isEnd: boolean, isEmpty: boolean): void {
    if (isEnd) {
      if (--this.#depth === 0) this.#skipped = '';
    } else if (!isEmpty) this.#depth++;
  }

  #skip(name: string): true {
    this.#skipped = name;
    this.#depth = 1;
    return true;
  }

  /** @returns true if the tag needs no separator in the text */
  #opens(name: string, attributes: string, isEmpty: boolean): boolean {
    if (!isEmpty && (SKIPPED.has(name) || (name === 'pre' && !this.#keepPre))) {
      this.#body += '\n';
      return this.#skip(name);
    }
    const isHeading = /^h[1-6]$/.test(name);
    if (!isEmpty && !isHeading && name !== 'body' && name !== 'html' && hasSkippedClass(attributes)) return this.#skip(name);
    const id = /\b(?:id|name)\s*=\s*["']?([^"'\s>]+)/.exec(attributes);
    if (id) this.#lastId = id[1];
    if (name === 'title') this.#isTitle = true;
    if (!isHeading) return false;
    this.#headingTag = name;
    this.#headingText = '';
    return true;
  }

  /** @returns true if the tag needs no separator in the text */
  #closes(name: string): boolean {
    if (name === 'title') this.#isTitle = false;
    if (this.#headingTag === '' || name !== this.#headingTag) return false;
    this.#endSection();
    this.#heading = stripNumbering(
      tidy(this.#headingText)
        .replace(/[¶§#\n]+/g, ' ')
        .trim(),
    );
    this.#anchor = this.#lastId;
    this.#body = '';
    this.#headingTag = '';
    return true;
  }

  #endSection(): void {
    const text = tidy(this.#body);
    if (text || this.#heading) this.#sections.push({ heading: this.#heading, anchor: this.#anchor, text });
  }
}

function hasSkippedClass(attributes: string): boolean {
  for (const [, value] of attributes.matchAll(/\b(?:class|id)\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/g)) {
    if (SKIPPED_CLASSES.test(value)) return true;
  }
  return false;
}
