// Enums of java.time: Month, DayOfWeek and TextStyle, with English names.
import './interfaces.ts';
import { present } from '../../../common/present.ts';
import { daysFromCivil, daysInMonth } from '../../../dates/civil.ts';
import type { DateView } from '../../../dates/date-view.ts';
import { defineClass, type Implementation, typeNamed } from '../../java/class-info.ts';
import { classNameOf } from '../../java/class-of.ts';
import { EnumValue } from '../../java/enum-value.ts';
import { illegalArgument } from '../../java/faults.ts';
import { JavaArray } from '../../java/values.ts';
import { badTime } from './faults.ts';

export class MonthValue extends EnumValue {}
export class DayValue extends EnumValue {}
class StyleValue extends EnumValue {}

export const MONTHS = 'JANUARY FEBRUARY MARCH APRIL MAY JUNE JULY AUGUST SEPTEMBER OCTOBER NOVEMBER DECEMBER'
  .split(' ')
  .map((name, i) => new MonthValue(name, i));
export const DAYS = 'MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY SUNDAY'.split(' ').map((name, i) => new DayValue(name, i));
const STYLES = 'FULL FULL_STANDALONE SHORT SHORT_STANDALONE NARROW NARROW_STANDALONE'.split(' ').map((name, i) => new StyleValue(name, i));

export function constantsOf(type: string, values: Iterable<EnumValue>): Record<string, unknown> {
  return Object.fromEntries(Array.from(values, (value) => [`${type} ${value.name}`, value]));
}
export const valueOf =
  (type: string, values: readonly EnumValue[]): Implementation =>
  (name: string) =>
    values.find((value) => value.name === name) ?? illegalArgument(`No enum constant java.time.${type}.${name}`);
/** A temporal, as far as its month and weekday go. */
interface Dated {
  readonly scope: string;
  readonly view: DateView;
}

/** The scopes of temporals with a month, or with a weekday. */
const FROM: Readonly<Record<string, RegExp>> = { Month: /^(?:date|both|zoned|months|monthDay)$/, DayOfWeek: /^(?:date|both|zoned)$/ };
const displayName = (self: EnumValue, style: StyleValue): string => {
  const full = self.name[0] + self.name.slice(1).toLowerCase();
  return style.name.startsWith('FULL') ? full : style.name.startsWith('SHORT') ? full.slice(0, 3) : full[0];
};
const firstDayOfYear = (month: number, year: number): number => daysFromCivil(year, month + 1, 1) - daysFromCivil(year, 1, 1) + 1;
const shifted = (values: readonly EnumValue[], sign: number) => (self: EnumValue, count: bigint) =>
  values[(((self.ordinal + sign * Number(count % BigInt(values.length))) % values.length) + values.length) % values.length];
for (const [name, values, Kind] of [
  ['Month', MONTHS, MonthValue],
  ['DayOfWeek', DAYS, DayValue],
] as const)
  defineClass(`java.time.${name}`, ['java.lang.Enum', 'java.time.temporal.TemporalAccessor', 'java.time.temporal.TemporalAdjuster'], {
    of: Kind,
    constants: constantsOf(name, values),
    members: {
      [`static ${name} of(int)`]: (value: number) =>
        values[value - 1] ?? badTime(`Invalid value for ${name === 'Month' ? 'MonthOfYear' : 'DayOfWeek'}: ${value}`),
      [`static ${name} valueOf(String)`]: valueOf(name, values),
      [`static ${name} from(TemporalAccessor)`]: (time: EnumValue | Dated) => {
        if (time instanceof Kind) return time;
        if (time instanceof EnumValue)
          return badTime(`Unable to obtain ${name} from TemporalAccessor: ${time} of type ${classNameOf(time)}`);
        const { scope, view } = time;
        if (FROM[name].test(scope)) return values[(name === 'Month' ? view.month : view.weekday) - 1];
        return badTime(`Unable to obtain ${name} from TemporalAccessor: ${time} of type ${classNameOf(time)}`);
      },
      [`static ${name}[] values()`]: () => new JavaArray([...values], present(typeNamed(name))),
      'int getValue()': (self: EnumValue) => self.ordinal + 1,
      'String getDisplayName(TextStyle,Locale)': displayName,
      [`${name} plus(long)`]: shifted(values, 1),
      [`${name} minus(long)`]: shifted(values, -1),
      ...(name === 'Month'
        ? {
            'int maxLength()': (self: EnumValue) => daysInMonth(2000, self.ordinal + 1),
            'int minLength()': (self: EnumValue) => daysInMonth(2001, self.ordinal + 1),
            'int length(boolean)': (self: EnumValue, isLeap: boolean) => daysInMonth(isLeap ? 2000 : 2001, self.ordinal + 1),
            'int firstDayOfYear(boolean)': (self: EnumValue, isLeap: boolean) => firstDayOfYear(self.ordinal, isLeap ? 2000 : 2001),
            'Month firstMonthOfQuarter()': (self: EnumValue) => MONTHS[self.ordinal - (self.ordinal % 3)],
          }
        : {}),
    },
  });
defineClass('java.time.format.TextStyle', ['java.lang.Enum'], { of: StyleValue, constants: constantsOf('TextStyle', STYLES) });
