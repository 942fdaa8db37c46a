/** Fields, units and conversions of java.time in scripts. Results and errors are those of Elasticsearch 7.10.2. */
import { expect, test } from 'vitest';
import type { ApiError } from '../../../src/errors/api-error.ts';
import { CONTEXTS } from '../../../src/scripting/contexts.ts';
import '../../../src/scripting/doc-script.ts';
import { textOf } from '../../../src/scripting/java/objects.ts';
import { compileScript } from '../../../src/scripting/painless.ts';

/** The text of the result, or the reason of the error. */
function run(source: string): string {
  try {
    return textOf(compileScript(source, CONTEXTS.painless_test).run({ params: new Map() }));
  } catch (error) {
    return (error as ApiError).causedBy?.reason ?? String(error);
  }
}

test.each([
  ['return LocalDate.of(2020, 2, 29).with(ChronoField.DAY_OF_YEAR, 60)', '2020-02-29'],
  ['return LocalDate.of(2020, 2, 29).with(IsoFields.QUARTER_OF_YEAR, 4)', '2020-11-29'],
  [
    "return LocalDate.of(2020, 2, 29).get(IsoFields.DAY_OF_QUARTER) + '|' + LocalDate.of(2021, 1, 3).get(IsoFields.WEEK_OF_WEEK_BASED_YEAR)",
    '60|53',
  ],
  ['return LocalDate.of(2020, 12, 31).with(IsoFields.WEEK_BASED_YEAR, 2021)', '2021-12-30'],
  [
    "return LocalDate.of(2021, 1, 1).get(WeekFields.ISO.weekOfWeekBasedYear()) + '|' + LocalDate.of(2021, 1, 1).get(WeekFields.SUNDAY_START.weekOfYear()) + '|' + LocalDate.of(2021, 1, 1).get(WeekFields.ISO.weekBasedYear())",
    '53|1|2020',
  ],
  [
    "return LocalDate.of(2020, 12, 28).get(WeekFields.of(Locale.US).weekOfMonth()) + '|' + LocalDate.of(2020, 12, 28).get(WeekFields.of(DayOfWeek.WEDNESDAY, 3).dayOfWeek()) + '|' + WeekFields.of(Locale.GERMANY)",
    '5|6|WeekFields[MONDAY,4]',
  ],
  ['return LocalDate.of(2020, 12, 28).getLong(JulianFields.MODIFIED_JULIAN_DAY)', '59211'],
  [
    "return LocalDate.of(2020, 2, 1).range(ChronoField.DAY_OF_MONTH) + '|' + ChronoField.DAY_OF_MONTH.range() + '|' + IsoFields.WEEK_OF_WEEK_BASED_YEAR.rangeRefinedBy(LocalDate.of(2020, 2, 1))",
    '1 - 29|1 - 28/31|1 - 53',
  ],
  [
    "return ChronoField.AMPM_OF_DAY.getBaseUnit() + ' ' + ChronoField.CLOCK_HOUR_OF_AMPM.getRangeUnit() + ' ' + ChronoField.ALIGNED_WEEK_OF_YEAR + ' ' + IsoFields.DAY_OF_QUARTER.getRangeUnit()",
    'HalfDays HalfDays AlignedWeekOfYear QuarterYears',
  ],
  [
    "return LocalTime.of(13, 5).isSupported(ChronoField.EPOCH_DAY) + '|' + ChronoUnit.WEEKS.isSupportedBy(Instant.EPOCH) + '|' + ChronoUnit.MONTHS.getDuration()",
    'false|false|PT730H29M6S',
  ],
  ['return LocalTime.of(13, 5).get(ChronoField.EPOCH_DAY)', 'Unsupported field: EpochDay'],
  ['return LocalDate.of(2020, 1, 1).get(ChronoField.EPOCH_DAY)', "Invalid field 'EpochDay' for get() method, use getLong() instead"],
  [
    'return LocalTime.of(13, 5).with(ChronoField.CLOCK_HOUR_OF_AMPM, 12).toString() + LocalTime.of(13, 5, 7).with(ChronoField.MILLI_OF_SECOND, 250)',
    '12:0513:05:07.250',
  ],
  [
    "return ZonedDateTime.parse('2020-03-29T01:30:00Z').with(ChronoField.INSTANT_SECONDS, 86400).toString() + OffsetDateTime.parse('2020-03-10T14:02:00+02:00').with(ChronoField.OFFSET_SECONDS, 3600)",
    '1970-01-02T00:00Z2020-03-10T14:02+01:00',
  ],
  [
    'return LocalDateTime.of(2020, 2, 29, 10, 11).with(LocalTime.of(1, 2)).with(LocalDate.of(2019, 5, 6)).with(Month.JULY).with(DayOfWeek.SUNDAY)',
    '2019-07-07T01:02',
  ],
  [
    'return LocalDate.of(2020, 2, 29).with(TemporalAdjusters.firstInMonth(DayOfWeek.MONDAY)).toString() + LocalDate.of(2020, 2, 29).with(TemporalAdjusters.lastInMonth(DayOfWeek.MONDAY)) + LocalDate.of(2020, 2, 29).with(TemporalAdjusters.dayOfWeekInMonth(0, DayOfWeek.MONDAY))',
    '2020-02-032020-02-242020-01-27',
  ],
  ['return Instant.EPOCH.with(TemporalAdjusters.firstDayOfMonth())', 'Unsupported field: DayOfMonth'],
  ['return LocalDate.of(2019, 12, 31).until(LocalDate.of(2020, 2, 29))', 'P1M29D'],
  [
    "return ChronoUnit.MONTHS.between(LocalDate.of(2019, 12, 31), LocalDate.of(2020, 2, 29)) + '|' + ChronoUnit.MONTHS.between(LocalDateTime.of(2020, 1, 15, 10, 0), LocalDateTime.of(2020, 3, 15, 9, 0))",
    '1|1',
  ],
  [
    'return ChronoUnit.DAYS.between(LocalDate.of(2020, 1, 1), Instant.EPOCH)',
    'Unable to obtain LocalDate from TemporalAccessor: 1970-01-01T00:00:00Z of type java.time.Instant',
  ],
  [
    'return Instant.EPOCH.until(LocalDate.of(2020, 1, 1), ChronoUnit.MINUTES)',
    'Unable to obtain Instant from TemporalAccessor: 2020-01-01 of type java.time.LocalDate',
  ],
  ['return Duration.between(LocalDate.of(2020, 1, 1), LocalDate.of(2020, 1, 2))', 'Unsupported unit: Seconds'],
  ['return Instant.EPOCH.plus(Period.ofMonths(2))', 'Unsupported unit: Months'],
  [
    'return LocalDate.of(2019, 12, 31).plusMonths(1583848920000L)',
    'Invalid value for Year (valid values -999999999 - 999999999): 131987412019',
  ],
  ['return LocalDate.of(2019, 12, 31).plusWeeks(9223372036854775807L)', 'long overflow'],
  ['return Instant.ofEpochSecond(9223372036854775807L)', 'Instant exceeds minimum or maximum instant'],
  [
    'return LocalDateTime.MAX.toString() + Instant.MIN + LocalDate.MIN',
    '+999999999-12-31T23:59:59.999999999-1000000000-01-01T00:00:00Z-999999999-01-01',
  ],
  ['return LocalDate.of(2019, 1, 1).withDayOfYear(366)', "Invalid date 'DayOfYear 366' as '2019' is not a leap year"],
  ['return Duration.ofDays(9223372036854775807L)', 'long overflow'],
  ['return Period.ofDays(1).plusDays(2147483647L)', 'integer overflow'],
  [
    "return YearMonth.of(2020, 2).atEndOfMonth().toString() + YearMonth.parse('2021-03').plusMonths(11) + YearMonth.from(LocalDate.of(2020, 5, 6)).lengthOfMonth()",
    '2020-02-292022-0231',
  ],
  [
    "return Year.of(2020).atDay(366).toString() + Year.of(2021).isLeap() + Year.parse('1999').plusYears(2) + Year.of(2019).atMonth(7)",
    '2020-12-31false20012019-07',
  ],
  [
    "return MonthDay.of(2, 29).atYear(2021).toString() + MonthDay.parse('--12-03').isValidYear(2020) + MonthDay.of(2, 29)",
    '2021-02-28true--02-29',
  ],
  [
    "return OffsetDateTime.parse('2020-03-10T14:02:00+02:00').withOffsetSameInstant(ZoneOffset.UTC).toString() + OffsetDateTime.parse('2020-03-10T14:02:00+02:00').plusDays(1).getOffset()",
    '2020-03-10T12:02Z+02:00',
  ],
  [
    "return OffsetDateTime.of(2020, 3, 10, 14, 2, 0, 5, ZoneOffset.ofHours(-3)).atZoneSimilarLocal(ZoneId.of('Europe/Berlin'))",
    '2020-03-10T14:02:00.000000005+01:00[Europe/Berlin]',
  ],
  [
    "return ZonedDateTime.of(2020, 10, 25, 2, 30, 0, 0, ZoneId.of('Europe/Berlin')).withLaterOffsetAtOverlap()",
    '2020-10-25T02:30+01:00[Europe/Berlin]',
  ],
  ["return LocalDate.of(2020, 3, 1).format(DateTimeFormatter.ofPattern('yyyy HH'))", 'Unsupported field: HourOfDay'],
  ['return LocalDate.of(2020, 3, 1).format(DateTimeFormatter.ISO_INSTANT)', 'Unsupported field: InstantSeconds'],
  [
    "return LocalDate.of(2020, 3, 1).compareTo(LocalDate.of(2015, 5, 6)) + '|' + ZonedDateTime.parse('2020-03-10T14:02:00.123Z').compareTo(ZonedDateTime.parse('2020-03-10T14:02:00Z'))",
    '5|123000000',
  ],
  [
    "return ZonedDateTime.parse('2020-03-10T14:02:00Z').query(TemporalQueries.localDate()) + '|' + LocalDate.of(2020, 1, 1).query(TemporalQueries.precision()) + '|' + LocalDate.of(2020, 1, 1).query(TemporalQueries.zone())",
    '2020-03-10|Days|null',
  ],
  [
    'return Month.from(LocalDate.of(2020, 7, 1)).toString() + Month.JULY.firstMonthOfQuarter() + Month.MARCH.firstDayOfYear(true) + DayOfWeek.from(LocalTime.of(1, 2))',
    'Unable to obtain DayOfWeek from TemporalAccessor: 01:02 of type java.time.LocalTime',
  ],
  [
    'Temporal t = LocalDate.of(2020, 1, 31); TemporalAmount a = Period.ofMonths(1); return t.plus(a).toString() + a.getUnits() + a.get(ChronoUnit.MONTHS)',
    '2020-02-29[Years, Months, Days]1',
  ],
])('%s', (source, expected) => {
  expect(run(source)).toBe(expected);
});
