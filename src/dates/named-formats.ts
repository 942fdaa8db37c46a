// The named date formats as patterns (pattern.ts). Source: the Elasticsearch reference, mapping-date-format; each has a `strict_` form with full widths.

const TIME = 'HH:mm:ss';
const ZONE = '{z}';
const BASIC_ZONE = '{Z}';

/** Patterns by name; the first one prints. Names without the prefix `strict_` also parse one digit where the pattern has two. */
const PATTERNS: Record<string, string> = {
  basic_date: 'yyyyMMdd',
  basic_date_time: `yyyyMMdd'T'HHmmss.{f}${BASIC_ZONE}`,
  basic_date_time_no_millis: `yyyyMMdd'T'HHmmss${BASIC_ZONE}`,
  basic_ordinal_date: 'yyyyDDD',
  basic_ordinal_date_time: `yyyyDDD'T'HHmmss.{f}${BASIC_ZONE}`,
  basic_ordinal_date_time_no_millis: `yyyyDDD'T'HHmmss${BASIC_ZONE}`,
  basic_time: `HHmmss.{f}${BASIC_ZONE}`,
  basic_time_no_millis: `HHmmss${BASIC_ZONE}`,
  basic_t_time: `'T'HHmmss.{f}${BASIC_ZONE}`,
  basic_t_time_no_millis: `'T'HHmmss${BASIC_ZONE}`,
  basic_week_date: "YYYY'W'wwe",
  basic_week_date_time: `YYYY'W'wwe'T'HHmmss.{f}${BASIC_ZONE}`,
  basic_week_date_time_no_millis: `YYYY'W'wwe'T'HHmmss${BASIC_ZONE}`,
  date: 'yyyy-MM-dd',
  date_hour: "yyyy-MM-dd'T'HH",
  date_hour_minute: "yyyy-MM-dd'T'HH:mm",
  date_hour_minute_second: `yyyy-MM-dd'T'${TIME}`,
  date_hour_minute_second_fraction: `yyyy-MM-dd'T'${TIME}.{f}`,
  date_hour_minute_second_millis: `yyyy-MM-dd'T'${TIME}.{f}`,
  date_time: `yyyy-MM-dd'T'${TIME}.{f}${ZONE}`,
  date_time_no_millis: `yyyy-MM-dd'T'${TIME}${ZONE}`,
  hour: 'HH',
  hour_minute: 'HH:mm',
  hour_minute_second: TIME,
  hour_minute_second_fraction: `${TIME}.{f}`,
  hour_minute_second_millis: `${TIME}.{f}`,
  ordinal_date: 'yyyy-DDD',
  ordinal_date_time: `yyyy-DDD'T'${TIME}.{f}${ZONE}`,
  ordinal_date_time_no_millis: `yyyy-DDD'T'${TIME}${ZONE}`,
  time: `${TIME}.{f}${ZONE}`,
  time_no_millis: `${TIME}${ZONE}`,
  t_time: `'T'${TIME}.{f}${ZONE}`,
  t_time_no_millis: `'T'${TIME}${ZONE}`,
  week_date: "YYYY-'W'ww-e",
  week_date_time: `YYYY-'W'ww-e'T'${TIME}.{f}${ZONE}`,
  week_date_time_no_millis: `YYYY-'W'ww-e'T'${TIME}${ZONE}`,
  weekyear: 'YYYY',
  week_year: 'YYYY',
  weekyear_week: "YYYY-'W'ww",
  weekyear_week_day: "YYYY-'W'ww-e",
  year: 'yyyy',
  year_month: 'yyyy-MM',
  year_month_day: 'yyyy-MM-dd',
};

/** Formats that iso.ts parses, with the patterns that they print. */
const ISO_PRINT = `yyyy-MM-dd'T'${TIME}.{f}${ZONE}`;
const ISO_PRINT_MILLIS = `yyyy-MM-dd'T'${TIME}.SSS${ZONE}`;
export const ISO_FORMATS: Readonly<Record<string, { strict: boolean; print: string }>> = {
  strict_date_optional_time: { strict: true, print: ISO_PRINT_MILLIS },
  date_optional_time: { strict: false, print: ISO_PRINT_MILLIS },
  strict_date_optional_time_nanos: { strict: true, print: ISO_PRINT },
  iso8601: { strict: true, print: ISO_PRINT_MILLIS },
  rfc3339_lenient: { strict: true, print: ISO_PRINT_MILLIS },
};

/** Patterns of a named format, null for an unknown name. Basic forms have no lenient widths: nothing separates their numbers. */
export function namedPattern(name: string): { pattern: string; lenient: boolean } | null {
  const strict = name.startsWith('strict_');
  const base = strict ? name.slice(7) : name;
  const pattern = Object.hasOwn(PATTERNS, base) ? PATTERNS[base] : undefined;
  if (pattern === undefined) return null;
  if (strict && base.startsWith('basic_') && !base.startsWith('basic_week')) return null;
  return { pattern, lenient: !strict && !base.startsWith('basic_') };
}
