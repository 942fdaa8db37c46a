// Cron schedules in Elasticsearch's form: `seconds minutes hours day-of-month month day-of-week [year]`, in UTC. Each field is `*`, a value, a range
// `a-b`, a step `a/n` or `*/n`, or a list of these; months and days also by name, days of the week 1 (Sunday) to 7. One of the two day fields is `?`.
// `L` is the last day of the month, `LW` its last working day, `15W` the working day nearest to the 15th, `6L` the last Friday, `6#3` the third one.
// Source: the class Cron of Elasticsearch, whose syntax is that of the Quartz scheduler.

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const DAY_MS = 86_400_000;
/** Days that are searched for the next time: a rule such as 29 February on a Monday recurs within 40 years. */
const MAX_DAYS = 40 * 366;

type DayRule = (year: number, month: number, day: number) => boolean;

export class Cron {
  readonly #seconds: readonly number[];
  readonly #minutes: readonly number[];
  readonly #hours: readonly number[];
  readonly #months: ReadonlySet<number>;
  readonly #years: ReadonlySet<number> | null;
  readonly #isDay: DayRule;

  /** @throws Error the expression is malformed */
  constructor(expression: string) {
    const fields = expression.trim().toUpperCase().split(/\s+/);
    if (fields.length < 6 || fields.length > 7) throw new Error(`invalid cron expression [${expression}]: expected 6 or 7 fields`);
    const [seconds, minutes, hours, dayOfMonth, month, dayOfWeek, year = '*'] = fields;
    if ((dayOfMonth === '?') === (dayOfWeek === '?'))
      throw new Error(`invalid cron expression [${expression}]: '?' must be given for either the day of the month or the day of the week`);
    this.#seconds = values(seconds, 0, 59, []);
    this.#minutes = values(minutes, 0, 59, []);
    this.#hours = values(hours, 0, 23, []);
    this.#months = new Set(values(month, 1, 12, MONTHS));
    this.#years = year === '*' ? null : new Set(values(year, 1970, 2200, []));
    this.#isDay = dayOfWeek === '?' ? monthDayRule(dayOfMonth) : weekDayRule(dayOfWeek);
  }

  /** The first time after `ms`; null if there is none. */
  next(ms: number): number | null {
    const from = ms + 1000 - (((ms % 1000) + 1000) % 1000);
    let day = Math.floor(from / DAY_MS) * DAY_MS;
    for (let i = 0; i < MAX_DAYS; i++, day += DAY_MS) {
      const date = new Date(day);
      const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1];
      if (!this.#months.has(month) || (this.#years !== null && !this.#years.has(year))) continue;
      if (!this.#isDay(year, month, date.getUTCDate())) continue;
      const time = this.#timeOfDay(Math.max(0, (from - day) / 1000));
      if (time !== null) return day + time * 1000;
    }
    return null;
  }

  /** The first second of the day that is due at or after `second`. */
  #timeOfDay(second: number): number | null {
    for (const hour of this.#hours) {
      if ((hour + 1) * 3600 <= second) continue;
      for (const minute of this.#minutes) {
        if (hour * 3600 + (minute + 1) * 60 <= second) continue;
        for (const own of this.#seconds) {
          const at = hour * 3600 + minute * 60 + own;
          if (at >= second) return at;
        }
      }
    }
    return null;
  }
}

/** Ascending values of a field. @throws Error */
function values(field: string, min: number, max: number, names: readonly string[]): number[] {
  const found = new Set<number>();
  for (const item of field.split(',')) {
    const match = /^(\*|[A-Z0-9]+)(?:-([A-Z0-9]+))?(?:\/(\d{1,4}))?$/.exec(item);
    if (!match) throw new Error(`invalid cron field [${field}]`);
    const [, first, last, step] = match;
    const start = first === '*' ? min : valueOf(first, min, max, names);
    const end = last !== undefined ? valueOf(last, min, max, names) : first === '*' || step !== undefined ? max : start;
    const by = step === undefined ? 1 : Number(step);
    if (by < 1) throw new Error(`invalid cron field [${field}]: a step must be at least 1`);
    // A range that wraps: 22-2, FRI-MON.
    const length = end >= start ? end - start : end - start + (max - min + 1);
    for (let i = 0; i <= length; i += by) found.add(min + ((start - min + i) % (max - min + 1)));
  }
  return [...found].sort((a, b) => a - b);
}

function valueOf(text: string, min: number, max: number, names: readonly string[]): number {
  const named = names.indexOf(text);
  const value = named >= 0 ? named + 1 : /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) throw new Error(`invalid cron value [${text}]: must be from ${min} to ${max}`);
  return value;
}

function lastDayOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** 1: Sunday, to 7: Saturday. */
function weekDayOf(year: number, month: number, day: number): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 1;
}

/** The Monday to Friday nearest to a day, in the same month. */
function workingDay(year: number, month: number, wanted: number): number {
  const last = lastDayOf(year, month);
  const day = Math.min(wanted, last);
  const weekDay = weekDayOf(year, month, day);
  if (weekDay === 7) return day === 1 ? 3 : day - 1;
  if (weekDay === 1) return day === last ? day - 2 : day + 1;
  return day;
}

function monthDayRule(field: string): DayRule {
  if (field === 'L') return (year, month, day) => day === lastDayOf(year, month);
  if (field === 'LW') return (year, month, day) => day === workingDay(year, month, 31);
  const before = /^L-(\d{1,2})$/.exec(field);
  if (before) return (year, month, day) => day === lastDayOf(year, month) - Number(before[1]);
  const nearest = /^(\d{1,2})W$/.exec(field);
  if (nearest) {
    const wanted = valueOf(nearest[1], 1, 31, []);
    return (year, month, day) => day === workingDay(year, month, wanted);
  }
  const days = new Set(values(field, 1, 31, []));
  return (_year, _month, day) => days.has(day);
}

function weekDayRule(field: string): DayRule {
  const last = /^([A-Z0-9]+)L$/.exec(field);
  if (last && field !== 'L') {
    const wanted = valueOf(last[1], 1, 7, DAYS);
    return (year, month, day) => weekDayOf(year, month, day) === wanted && day + 7 > lastDayOf(year, month);
  }
  const nth = /^([A-Z0-9]+)#([1-5])$/.exec(field);
  if (nth) {
    const wanted = valueOf(nth[1], 1, 7, DAYS);
    return (year, month, day) => weekDayOf(year, month, day) === wanted && Math.ceil(day / 7) === Number(nth[2]);
  }
  const days = new Set(field === 'L' ? [7] : values(field, 1, 7, DAYS));
  return (year, month, day) => days.has(weekDayOf(year, month, day));
}
