// java.text.DecimalFormat patterns as formats of pipelines: `#,##0.00`, `0.0`, `#.00%`, prefixes and suffixes. Rounds half even, as Java does.

export class DecimalFormat {
  private readonly prefix: string;
  private readonly suffix: string;
  private readonly grouping: number;
  private readonly minInteger: number;
  private readonly minFraction: number;
  private readonly maxFraction: number;
  private readonly factor: number;

  constructor(pattern: string) {
    const positive = pattern.split(';')[0];
    const match = /^([^#0,.]*)([#0,]*)(?:\.([#0]*))?(.*)$/s.exec(positive)!;
    const [, prefix, integer, fraction = '', suffix] = match;
    this.prefix = prefix.replaceAll("'", '');
    this.suffix = suffix.replaceAll("'", '');
    const comma = integer.lastIndexOf(',');
    this.grouping = comma >= 0 ? integer.length - comma - 1 : 0;
    this.minInteger = [...integer].filter((c) => c === '0').length;
    this.minFraction = [...fraction].filter((c) => c === '0').length;
    this.maxFraction = fraction.length;
    this.factor = positive.includes('%') ? 100 : positive.includes('‰') ? 1000 : 1;
  }

  format(value: number): string {
    const scaled = Math.abs(value * this.factor);
    const digits = roundHalfEven(scaled, this.maxFraction);
    let [integer, fraction = ''] = digits.split('.');
    while (fraction.length > this.minFraction && fraction.endsWith('0')) fraction = fraction.slice(0, -1);
    integer = integer.replace(/^0+/, '').padStart(this.minInteger, '0');
    if (integer === '' && fraction === '') integer = '0';
    if (this.grouping > 0) integer = integer.replace(new RegExp(`\\B(?=(\\d{${this.grouping}})+$)`, 'g'), ',');
    const sign = value < 0 && /[1-9]/.test(integer + fraction) ? '-' : '';
    return `${sign}${this.prefix}${integer}${fraction === '' ? '' : `.${fraction}`}${this.suffix}`;
  }
}

/** Decimal text with `places` digits behind the point, of the double's exact value; ties go to the even digit. */
function roundHalfEven(value: number, places: number): string {
  const text = value.toFixed(Math.min(places, 100));
  // toFixed rounds the exact binary value, ties up: only exact ties differ
  const scaled = value * 10 ** places;
  if (Number.isInteger(scaled * 2) && !Number.isInteger(scaled) && scaled < 2 ** 52) {
    const even = Math.round(scaled / 2) * 2;
    const nearest = Math.abs(even - scaled) === 0.5 ? even : Math.floor(scaled);
    return (nearest / 10 ** places).toFixed(places);
  }
  return text;
}
