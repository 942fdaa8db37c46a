// prose.ndjson: 675,269 sections of English manuals, RFCs, dictionaries and Bible commentaries from Debian packages, in the order of the MD5 of their
// ids. The queries of bench/query and their recorded results depend on every rule here and in formats/: a change needs both made again.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { CorpusContext } from './corpus.ts';
import { type DebianPackages, filesBelow } from './debian.ts';
import { dictdEntries } from './formats/dictd.ts';
import { htmlPage, htmlText } from './formats/html.ts';
import { mallardPage } from './formats/mallard.ts';
import { manSections } from './formats/man.ts';
import { podSections } from './formats/pod.ts';
import { rfcSections } from './formats/rfc.ts';
import { swordDictionary, swordVerses } from './formats/sword.ts';
import { readText, tidy } from './formats/text.ts';
import { ProseCollector } from './prose-collector.ts';
import {
  AWS_PACKAGE,
  DICTIONARIES,
  GNOME_PACKAGE,
  HTML_SOURCES,
  type HtmlSource,
  MAN_PACKAGES,
  NEW_TESTAMENT,
  OLD_TESTAMENT,
  PERL_PACKAGE,
  RFC_PACKAGES,
  SWORD_PACKAGES,
} from './prose-sources.ts';

/** Sections of navigation if they are shorter than this. */
const MAX_NAVIGATION = 400;
const NAVIGATION_HEADING =
  /^(navigation|table of contents|contents|index|see also|description|quick search|this page|previous topic|next topic|related topics|indices and tables)$/i;
const FORMAL_MAN_HEADING = /^(SYNOPSIS|SEE ALSO|COLOPHON|AUTHORS?|COPYRIGHT)$/;
/** Least characters of a dictionary entry, and of a group of verses. */
const MIN_ENTRY = 40;
const MIN_VERSES = 60;

export function makeProse({ debian, limit, log, output }: CorpusContext): void {
  const sources = [...HTML_SOURCES.map(({ name }) => name), ...DICTIONARIES.map(([name]) => name)];
  debian.fetch([...sources, ...RFC_PACKAGES, ...SWORD_PACKAGES, AWS_PACKAGE, ...MAN_PACKAGES, PERL_PACKAGE, GNOME_PACKAGE]);
  const prose = new ProseCollector(output('prose.ndjson'));
  const steps: ReadonlyArray<readonly [string, () => void]> = [
    ...RFC_PACKAGES.map((name) => [name, () => addRfcs(prose, debian.tree(name))] as const),
    ...HTML_SOURCES.map((source) => [source.name, () => addHtml(prose, debian.tree(source.name), source)] as const),
    ...DICTIONARIES.map(([name, section]) => [name, () => addDictionary(prose, debian.tree(name), section)] as const),
    ...SWORD_PACKAGES.map((name) => [name, () => addSword(prose, debian.tree(name), name)] as const),
    [AWS_PACKAGE, () => addAws(prose, debian.tree(AWS_PACKAGE))],
    ...MAN_PACKAGES.map((name) => [name, () => addManPages(prose, debian.tree(name), name)] as const),
    [PERL_PACKAGE, () => addPerl(prose, debian)],
    [GNOME_PACKAGE, () => addGnome(prose, debian)],
  ];
  for (const [name, add] of steps) {
    log(`  ${name}`);
    add();
  }
  prose.close(limit);
}

function addRfcs(prose: ProseCollector, tree: string): void {
  for (const file of filesBelow(tree)) {
    const number = /\/rfc(\d+)\.txt(?:\.gz)?$/.exec(file)?.[1];
    if (number === undefined) continue;
    const rfc = String(Number(number));
    const title = rfcTitle(file, rfc);
    for (const { heading, anchor, text } of rfcSections(readText(file))) {
      const fragment = anchor.startsWith('section') ? `#${anchor}` : '';
      const url = `https://www.rfc-editor.org/rfc/rfc${rfc}${fragment}`;
      prose.add({ section: 'rfc', key: `${rfc}#${anchor}`, title: titleOf(title, heading), text, url });
    }
  }
}

/** With the title of the metadata next to the file, where it can be read. */
function rfcTitle(file: string, rfc: string): string {
  const metadata = file.replace(/\.txt(\.gz)?$/, '.json');
  let title = `RFC ${rfc}`;
  for (const name of [metadata, `${metadata}.gz`]) {
    if (!existsSync(name)) continue;
    try {
      title = `RFC ${rfc}: ${tidy((JSON.parse(readText(name)) as { title: string }).title)}`;
    } catch {
      // Broken metadata: the number serves as the title.
    }
  }
  return title;
}

function addHtml(prose: ProseCollector, tree: string, { section, include, exclude, skipHeading, keepPre }: HtmlSource): void {
  for (const file of filesBelow(tree)) {
    const inTree = path.relative(tree, file);
    if (!include.test(`/${inTree}`) || exclude?.test(`/${inTree}`)) continue;
    const page = htmlPage(readText(file), { keepPre });
    const name = inTree.replace(/^usr\/share\/(doc\/)?/, '');
    const title = page.title.replace(/\s*[—–|·]\s.*$/, '').replace(/\s+-\s+(cppreference\.com|Apache HTTP Server.*)$/, '');
    page.sections.forEach(({ heading, anchor, text }, i) => {
      if (skipHeading?.test(heading)) return;
      if (NAVIGATION_HEADING.test(heading) && text.length < MAX_NAVIGATION) return;
      const key = anchor || i > 0 ? `${name}#${anchor || `s${i}`}` : name;
      const url = `file:///${inTree}${anchor ? `#${anchor}` : ''}`;
      prose.add({ section, key, title: titleOf(heading, title), text, url });
    });
  }
}

/** `document – heading`, or one of them if the other is empty or the start of it. */
function titleOf(heading: string, document: string): string {
  if (!document || heading === document) return heading;
  if (!heading || heading.toLowerCase().startsWith(document.toLowerCase())) return heading || document;
  return `${document} – ${heading}`;
}

function addDictionary(prose: ProseCollector, tree: string, section: string): void {
  for (const index of filesBelow(tree).filter((file) => file.endsWith('.index'))) {
    dictdEntries(index, index.replace(/\.index$/, '.dict.dz')).forEach(({ word, text }, i) => {
      prose.add({ section, key: `${word}@${i}`, title: word, text, minLength: MIN_ENTRY });
    });
  }
}

function addSword(prose: ProseCollector, tree: string, name: string): void {
  const files = filesBelow(tree);
  const module = name.replace('sword-', '');
  for (const file of files.filter((entry) => /[/](ot|nt)\.[bc]zv$/.test(entry))) addVerses(prose, file, module);
  for (const file of files.filter((entry) => entry.endsWith('.zdt'))) {
    swordDictionary(file.slice(0, -'.zdt'.length)).forEach(({ word, text }, i) => {
      const body = swordText(text).replace(/\n/g, ' ');
      prose.add({ section: 'bible-dict', key: `${module}/${word}@${i}`, title: word, text: body, minLength: MIN_ENTRY });
    });
  }
}

/** Groups verses of a book to documents of about 500 characters, comments to 1,500. */
function addVerses(prose: ProseCollector, file: string, module: string): void {
  const isCommentary = module.startsWith('comm-');
  const testament = file.includes('/ot.') ? 'ot' : 'nt';
  let book = -1;
  let groups = 0;
  let verses: string[] = [];
  let length = 0;
  const endGroup = (): void => {
    if (length > 0) {
      groups++;
      prose.add({
        section: isCommentary ? 'bible-comm' : 'bible',
        key: `${module}/${testament}/${book}/${groups}`,
        title: `${bookTitle(file, module, testament, book)} (${module}) ${groups}`,
        text: verses.join('\n'),
        minLength: MIN_VERSES,
      });
    }
    verses = [];
    length = 0;
  };
  for (const { block, text } of swordVerses(file.replace(/\.[bc]zv$/, ''), file.endsWith('.czv') ? 'cz' : 'bz')) {
    if (block !== book) {
      endGroup();
      book = block;
      groups = 0;
    }
    const verse = swordText(text)
      .replace(/\n+/g, isCommentary ? '\n' : ' ')
      .trim();
    if (!verse) continue;
    verses.push(verse);
    length += verse.length;
    if (length > (isCommentary ? 1500 : 500)) endGroup();
  }
  endGroup();
}

/** Only some modules have a block per book; that of tdavid is a psalm. */
function bookTitle(file: string, module: string, testament: 'ot' | 'nt', block: number): string {
  if (/kjv|mhcc|scofield/i.test(file)) return (testament === 'ot' ? OLD_TESTAMENT : NEW_TESTAMENT)[block - 1] ?? 'Introduction';
  return module.includes('tdavid') ? `Psalm ${Math.max(1, block - 1)}` : `Book ${block}`;
}

function swordText(markup: string): string {
  return htmlText(
    markup
      .replace(/<note\b[\s\S]*?<\/note>/g, ' ')
      .replace(/<(?:lb|milestone|chapter|div)\b[^>]*\/?>/g, ' \n')
      .replace(/<title\b[^>]*>/g, '\n')
      .replace(/<\/title>/g, '\n')
      .replace(/\n/g, ' \n'),
  );
}

interface AwsDocumented {
  readonly documentation?: string;
}

/** A service of the AWS SDK for Python. */
interface AwsService extends AwsDocumented {
  readonly metadata: { readonly serviceFullName?: string };
  readonly operations?: Readonly<Record<string, AwsDocumented>>;
  readonly shapes?: Readonly<Record<string, AwsDocumented & { readonly members?: Readonly<Record<string, AwsDocumented>> }>>;
}

function addAws(prose: ProseCollector, tree: string): void {
  const data = path.join(tree, 'usr/lib/python3/dist-packages/botocore/data');
  const latest = new Map<string, string>();
  for (const file of filesBelow(data)) {
    if (/\/service-2\.json(\.gz)?$/.test(file)) latest.set(path.relative(data, file).split('/')[0], file);
  }
  const section = 'aws';
  const textOf = ({ documentation }: AwsDocumented): string => htmlText(documentation ?? '');
  for (const [key, file] of latest) {
    const service = JSON.parse(readText(file)) as AwsService;
    const { operations = {}, shapes = {} } = service;
    const name = service.metadata.serviceFullName ?? key;
    prose.add({ section, key, title: name, text: textOf(service) });
    for (const operation of Object.keys(operations).sort()) {
      prose.add({ section, key: `${key}/${operation}`, title: `${name} – ${operation}`, text: textOf(operations[operation]) });
    }
    for (const shape of Object.keys(shapes).sort()) {
      const { members = {} } = shapes[shape];
      const parts = [
        shapes[shape],
        ...Object.keys(members)
          .sort()
          .map((member) => members[member]),
      ];
      const text = parts.map(textOf).filter(Boolean).join('\n');
      if (text) prose.add({ section, key: `${key}/shape/${shape}`, title: `${name} – ${shape}`, text });
    }
  }
}

function addManPages(prose: ProseCollector, tree: string, name: string): void {
  for (const file of filesBelow(tree)) {
    if (!/\/man\/freebsd\/.*\.gz$|\/man\d\/[^/]+\.gz$/.test(file)) continue;
    const page = path.basename(file, '.gz');
    manSections(readText(file)).forEach(({ heading, text }, i) => {
      if (FORMAL_MAN_HEADING.test(heading)) return;
      prose.add({ section: 'man', key: `${name}/${page}#${i}`, title: `${page} – ${heading}`, text });
    });
  }
}

function addPerl(prose: ProseCollector, debian: DebianPackages): void {
  for (const file of filesBelow(debian.tree(PERL_PACKAGE)).filter((entry) => entry.endsWith('.pod'))) {
    const page = path.basename(file, '.pod');
    podSections(readText(file)).forEach(({ heading, text }, i) => {
      prose.add({ section: 'perl', key: `${page}#${i}`, title: `${page} – ${heading}`, text });
    });
  }
}

function addGnome(prose: ProseCollector, debian: DebianPackages): void {
  const folder = path.join(debian.tree(GNOME_PACKAGE), 'usr/share/help/C');
  for (const file of filesBelow(folder).filter((entry) => entry.endsWith('.page'))) {
    const { title, paragraphs } = mallardPage(readText(file));
    prose.add({ section: 'gnome', key: path.relative(folder, file), title, text: paragraphs.join('\n') });
  }
}
