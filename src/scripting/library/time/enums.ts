// Enums of java.time: Month, DayOfWeek and TextStyle, with English names.
import './interfaces.ts';
import { daysInMonth } from '../../../dates/civil.ts';
import { defineClass, type Implementation } from '../../java/class-info.ts';
import { EnumValue } from '../../java/enum-value.ts';
import { illegalArgument } from '../../java/faults.ts';
import { badTime } from './faults.ts';

class MonthValue extends EnumValue {}
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
const displayName = (self: EnumValue, style: StyleValue): string => {
  const full = self.name[0] + self.name.slice(1).toLowerCase();
  return style.name.startsWith('FULL') ? full : style.name.startsWith('SHORT') ? full.slice(0, 3) : full[0];
};
const shifted = (values: readonly EnumValue[], sign: number) => (self: EnumValue, count: bigint) =>
  values[(((self.ordinal + sign * Number(count % BigInt(values.length))) % values.length) + values.length) % values.length];
for (const [name, values, Kind] of [
  ['Month', MONTHS, MonthValue],
  ['DayOfWeek', DAYS, DayValue],
] as const)
  defineClass(`java.time.${name}`, ['java.lang.Enum', 'java.time.temporal.TemporalAccessor'], {
    of: Kind,
    constants: constantsOf(name, values),
    members: {
      [`static ${name} of(int)`]: (value: number) =>
        values[value - 1] ?? badTime(`Invalid value for ${name === 'Month' ? 'MonthOfYear' : 'DayOfWeek'}: ${value}`),
      [`static ${name} valueOf(String)`]: valueOf(name, values),
      'int getValue()': (self: EnumValue) => self.ordinal + 1,
      'String getDisplayName(TextStyle,Locale)': displayName,
      [`${name} plus(long)`]: shifted(values, 1),
      [`${name} minus(long)`]: shifted(values, -1),
      ...(name === 'Month'
        ? {
            'int maxLength()': (self: EnumValue) => daysInMonth(2000, self.ordinal + 1),
            'int minLength()': (self: EnumValue) => daysInMonth(2001, self.ordinal + 1),
          }
        : {}),
    },
  });
defineClass('java.time.format.TextStyle', ['java.lang.Enum'], { of: StyleValue, constants: constantsOf('TextStyle', STYLES) });
