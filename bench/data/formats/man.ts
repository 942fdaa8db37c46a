// Manual pages (macros man and mdoc of roff) split at their headings, without examples and tables.
import { type Section, tidy } from './text.ts';

const GLYPHS: Readonly<Record<string, string>> = {
  co: '©',
  em: '—',
  en: '–',
  lq: '“',
  rq: '”',
  oq: '‘',
  cq: '’',
  aq: "'",
  dq: '"',
  bu: '•',
  '->': '→',
  mu: '×',
  hy: '-',
  ti: '~',
  rs: '\\',
  Fo: '«',
  Fc: '»',
  ss: 'ß',
  Po: '£',
  mc: 'µ',
};

const macros = (names: string): ReadonlySet<string> => new Set(names.split(' '));
const HEADINGS = macros('SH SS Sh Ss');
const FILL_OFF = macros('nf EX TS');
const FILL_ON = macros('fi EE TE Ed');
const FONTS = macros('B I SM SB');
/** Macros that join their arguments, in two fonts by turns. */
const TWO_FONTS = macros('BR IR RB RI BI IB');
const BREAKS = macros('PP P LP TP IP Pp sp br RS RE HP TQ Bl El');
const MDOC_TEXT = macros(
  'Nm Ar Fl Op Pa Xr Dv Va Vt Fn Fa Em Sy Li Ql Dq Sq Pq Bq Aq Qq Cm Ic Er Ev Ft Fd In An Tn Bx Fx Nx Ox At Ux St Ad Ms No Cd Sx Mt Lk Dl It',
);
/** Macros that may be arguments of a macro: not text. */
const MDOC_NESTED = macros('Nm Ar Fl Op Pa Xr Dv Va Vt Fn Fa Em Sy Li Ql Dq Sq Pq Bq Aq Qq Cm Ic Er Ev Ns No Ap Oc Oo Pc Po');
const SPACES_OUTSIDE_QUOTES = /\s+(?=(?:[^"]*"[^"]*")*[^"]*$)/g;

export function manSections(raw: string): Section[] {
  const page = new ManPage();
  for (const line of raw.split('\n')) if (!/^['.]\s*\\"/.test(line)) page.line(line.replace(/\\".*$/, ''));
  return page.end();
}

class ManPage {
  readonly #sections: Section[] = [];
  #heading = '';
  #body = '';
  #isFilled = true;
  /** The command of an mdoc page, which `.Nm` without an argument repeats. */
  #name = '';

  line(line: string): void {
    if (!/^[.']/.test(line)) {
      if (!line.trim()) this.#body += '\n';
      else if (this.#isFilled) this.#body += `${plain(line)} `;
      return;
    }
    const macro = /^[.']\s*(\S+)\s*(.*)$/.exec(line);
    if (macro) this.#macro(macro[1], macro[2]);
  }

  end(): Section[] {
    const text = tidy(this.#body);
    if (text) this.#sections.push({ heading: this.#heading, anchor: '', text });
    return this.#sections;
  }

  #macro(name: string, rest: string): void {
    const argument = plain(rest.replace(/(^|\s)"([^"]*)"/g, '$1$2'));
    if (HEADINGS.has(name)) {
      this.end();
      this.#heading = argument;
      this.#body = '';
    } else if (FILL_OFF.has(name)) this.#setFilled(false);
    else if (FILL_ON.has(name)) this.#setFilled(true);
    else if (name === 'Bd') this.#setFilled(!/-(literal|unfilled)/.test(rest));
    else if (FONTS.has(name)) this.#inline(argument);
    else if (TWO_FONTS.has(name)) this.#inline(plain(rest.replace(SPACES_OUTSIDE_QUOTES, '').replace(/"/g, '')));
    else if (BREAKS.has(name)) this.#body += name === 'IP' && argument ? `\n${argument.split(/\s+/)[0]} ` : '\n';
    else if (name !== 'TH' && name !== 'Dt') this.#mdoc(name, argument);
  }

  #setFilled(isFilled: boolean): void {
    this.#isFilled = isFilled;
    this.#body += '\n';
  }

  #inline(text: string): void {
    if (this.#isFilled) this.#body += `${text} `;
  }

  #mdoc(name: string, argument: string): void {
    if (name === 'Nm' && argument) this.#name = argument.split(/\s/)[0];
    if (name === 'Nd') this.#body += `– ${argument}`;
    if (!MDOC_TEXT.has(name) || !this.#isFilled) return;
    if (name === 'It') this.#body += '\n';
    const words = (argument || (name === 'Nm' ? this.#name : '')).split(/\s+/);
    this.#body += `${words.filter((word) => !MDOC_NESTED.has(word)).join(' ')} `;
  }
}

/** Text without fonts, sizes and escapes. */
function plain(roff: string): string {
  return roff
    .replace(/\\f(?:\[[^\]]*\]|\(..|.)/g, '')
    .replace(/\\s[+-]?\d/g, '')
    .replace(/\\\*?\[([^\]]*)\]|\\\*?\((..)/g, (_, long: string | undefined, short: string) => glyph(long ?? short))
    .replace(/\\[&%:/,|^]/g, '')
    .replace(/\\-/g, '-')
    .replace(/\\e/g, '\\')
    .replace(/\\ /g, ' ')
    .replace(/\\~/g, ' ')
    .replace(/\\\(?\.?/g, '');
}

function glyph(name: string): string {
  if (/^u[0-9A-F]{4,5}$/.test(name)) return String.fromCodePoint(Number.parseInt(name.slice(1), 16));
  return GLYPHS[name] ?? (/^[A-Za-z][`'^~:,o]$/.test(name) ? name[0] : ' ');
}
