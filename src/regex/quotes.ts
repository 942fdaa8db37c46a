// Quotations in java.util.regex: characters between \Q and \E, or after an unclosed \Q, are literals.
const LETTER = /[A-Za-z]|[^\0-\x7f]/;
const DIGIT = /[0-9]/;

/** The pattern with quoted characters escaped as Java does it, since error positions refer to that form. */
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
        // An escape before the quotation must not absorb its first digit.
        if (isQuoted && DIGIT.test(pattern[i + 1] ?? '')) out += `\\x3${pattern[++i]}`;
      }
    } else if (unit === '\\' && next === 'E') {
      isQuoted = false;
      i++;
    } else out += LETTER.test(unit) || DIGIT.test(unit) ? unit : `\\${unit}`;
  }
  return out;
}
