// Dates of HTTP header fields.
import { nowSeconds } from '../../../http/wire/clock.ts';

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MONTHS_LOWER = MONTHS.map((month) => month.toLowerCase());
const two = (n: number) => (n < 10 ? `0${n}` : String(n));

/** dates formatted recently: those of files recur */
const written = new Map<number, string>();
const WRITTEN_MAX = 1000;

/** RFC 9110 date of a time in seconds. */
export function httpDate(seconds: number): string {
  let text = written.get(seconds);
  if (text === undefined) {
    if (written.size >= WRITTEN_MAX) written.clear();
    written.set(seconds, (text = formatDate(seconds)));
  }
  return text;
}

function formatDate(seconds: number): string {
  const d = new Date(seconds * 1000);
  return `${DAYS[d.getUTCDay()]}, ${two(d.getUTCDate())} ${MONTHS[d.getUTCMonth()]} ${d.getUTCFullYear()} ${two(d.getUTCHours())}:${two(d.getUTCMinutes())}:${two(d.getUTCSeconds())} GMT`;
}

/** Seconds of an HTTP date in any of the three forms, in any case (as nginx), -1 if malformed. */
export function parseHttpDate(text: string): number {
  const m =
    /^\w{3}, (\d{2}) (\w{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2})(?: GMT)?$/i.exec(text) ??
    /^\w{6,9}, (\d{2})-(\w{3})-(\d{2}) (\d{2}):(\d{2}):(\d{2})(?: GMT)?$/i.exec(text);
  let parts: string[] | null = m ? m.slice(1) : null;
  if (!parts) {
    const asctime = /^\w{3} (\w{3}) +(\d{1,2}) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/.exec(text);
    if (asctime) parts = [asctime[2], asctime[1], asctime[6], asctime[3], asctime[4], asctime[5]];
  }
  if (!parts) return -1;
  const month = MONTHS_LOWER.indexOf(parts[1].toLowerCase());
  let year = Number(parts[2]);
  if (parts[2].length === 2) year += year < 70 ? 2000 : 1900;
  const [day, hour, minute, second] = [parts[0], parts[3], parts[4], parts[5]].map(Number);
  if (month < 0 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 59) return -1;
  const ms = Date.UTC(year, month, day, hour, minute, second);
  return new Date(ms).getUTCDate() === day ? ms / 1000 : -1;
}

let dateSecond = -1;
let dateText = '';
export function currentHttpDate(): string {
  const second = nowSeconds();
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = httpDate(second);
  }
  return dateText;
}
