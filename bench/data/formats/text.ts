// Decoding and tidying of the documents in packages: character sets, HTML entities, white space.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

export interface Section {
  readonly heading: string;
  /** Fragment of the section's address, '' if it has none. */
  readonly anchor: string;
  /** A paragraph per line. */
  readonly text: string;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  hellip: '…',
  copy: '©',
  reg: '®',
  trade: '™',
  laquo: '«',
  raquo: '»',
  middot: '·',
  bull: '•',
  times: '×',
  deg: '°',
  para: '',
  sect: '§',
  euro: '€',
  rarr: '→',
  larr: '←',
  le: '≤',
  ge: '≥',
  ne: '≠',
  minus: '−',
  plusmn: '±',
  micro: 'µ',
  szlig: 'ß',
  thinsp: ' ',
  ensp: ' ',
  emsp: ' ',
  zwnj: '\u200c',
  zwj: '\u200d',
  shy: '',
  lrm: '',
  rlm: '',
  infin: '∞',
  iexcl: '¡',
  iquest: '¿',
  ordf: 'ª',
  ordm: 'º',
  sup2: '²',
  sup3: '³',
  frac12: '½',
  Oslash: 'Ø',
  oslash: 'ø',
  AElig: 'Æ',
  aelig: 'æ',
  OElig: 'Œ',
  oelig: 'œ',
  ETH: 'Ð',
  eth: 'ð',
  THORN: 'Þ',
  thorn: 'þ',
  alpha: 'α',
  beta: 'β',
  gamma: 'γ',
  delta: 'δ',
  lambda: 'λ',
  mu: 'μ',
  pi: 'π',
  sigma: 'σ',
  omega: 'ω',
};

const ACCENTS: Readonly<Record<string, string>> = {
  grave: '\u0300',
  acute: '\u0301',
  circ: '\u0302',
  tilde: '\u0303',
  uml: '\u0308',
  ring: '\u030a',
  cedil: '\u0327',
  caron: '\u030c',
};

const ACCENTED = new RegExp(`^([A-Za-z])(${Object.keys(ACCENTS).join('|')})$`);

/** Replaces entities that are known; others stay as they are. The semicolon may be missing. */
export function decodeEntities(html: string): string {
  return html.replace(/&(#x[0-9a-fA-F]+|#\d+|[A-Za-z][A-Za-z0-9]*);?/g, (whole, name: string) => {
    if (name.startsWith('#x')) return codePoint(Number.parseInt(name.slice(2), 16));
    if (name.startsWith('#')) return codePoint(Number.parseInt(name.slice(1), 10));
    if (Object.hasOwn(ENTITIES, name)) return ENTITIES[name];
    const accented = ACCENTED.exec(name);
    return accented ? (accented[1] + ACCENTS[accented[2]]).normalize('NFC') : whole;
  });
}

function codePoint(value: number): string {
  const isScalar = value > 0 && value < 0x110000 && !(value >= 0xd800 && value < 0xe000);
  return isScalar ? String.fromCodePoint(value) : ' ';
}

/** A file that may be gzipped, in the character set that it names; without a name UTF-8, or Windows-1252 if it is not valid UTF-8. */
export function readText(file: string): string {
  let bytes: Buffer = readFileSync(file);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) bytes = gunzipSync(bytes);
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return bytes.toString('utf8', 3);
  const label = /(?:charset|encoding)\s*=\s*["']?([\w-]+)/i.exec(bytes.toString('latin1', 0, 2048))?.[1].toLowerCase();
  if (label !== undefined && label !== 'utf-8' && label !== 'utf8') {
    try {
      return new TextDecoder(label).decode(bytes);
    } catch {
      // An unknown label: treated as UTF-8.
    }
  }
  const decoded = bytes.toString('utf8');
  return label === undefined && decoded.includes('\ufffd') ? new TextDecoder('windows-1252').decode(bytes) : decoded;
}

/** Collapses white space; a paragraph per line without blank lines. */
export function tidy(text: string): string {
  return text
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ *\n */g, '\n')
    .replace(/\n{2,}/g, '\n')
    .replace(/^\n|\n$/g, '')
    .trim();
}

/** `1.2. Title` and `Chapter 3 Title` become `Title`; a single letter that is a word stays. */
export function stripNumbering(heading: string): string {
  return heading
    .replace(/^(?:(?:Chapter|Section|Appendix|Kapitel|Capítulo)\s+)?(?:[A-Z]|\d+)(?:\.\d+)*[.):]?\s+(?=\S)/, (number) =>
      /^\p{L}\s$/u.test(number) ? number : '',
    )
    .trim();
}
