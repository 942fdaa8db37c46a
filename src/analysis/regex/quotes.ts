// Quotations of java.util.regex: what stands between \Q and \E, or behind \Q, is taken letter by letter.
const LETTER = /[A-Za-z]|[^\0-\x7f]/;
const DIGIT = /[0-9]/;

/** The pattern without quotations, its quoted signs escaped as Java does it, which places in errors count. */
export function unquote(pattern: string): string {
  if (!/^(?:[^\\]|\\[^Q])*\\Q/.test(pattern)) return pattern;
  let out = '';
  let isQuoted = false;
  for (let i = 0; i < pattern.length; i++) {
    const unit = pattern[i];
    const next = pattern[i + 1];
    if (!isQuoted) {
      if (unit !== '\\') out += unit;
      else {
        if (next === 'Q') isQuoted = true;
        else out += unit + (next ?? '');
        i++;
        // An escape before the quotation must not take in a digit of it.
        if (isQuoted && DIGIT.test(pattern[i + 1] ?? '')) out += `\\x3${pattern[++i]}`;
      }
    } else if (unit === '\\' && next === 'E') {
      isQuoted = false;
      i++;
    } else out += LETTER.test(unit) || DIGIT.test(unit) ? unit : `\\${unit}`;
  }
  return out;
}
