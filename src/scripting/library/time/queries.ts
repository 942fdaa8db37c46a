// Members of TemporalAccessor, Temporal and TemporalAdjuster, and TemporalQueries. Months and weekdays are accessors with one field.
import { defineClass, type Implementation } from '../../java/class-info.ts';
import { EnumValue } from '../../java/enum-value.ts';
import type { Value } from '../../java/values.ts';
import { addAmount } from './amounts.ts';
import { MonthValue } from './enums.ts';
import { unsupported } from './faults.ts';
import { type FieldValue, fieldNamed, fieldOf, intFieldOf, rangeOf, type ValueRange } from './field-value.ts';
import { withField } from './fields.ts';
import { OBJECT } from './interfaces.ts';
import { convertedTo, type Temporal } from './temporal.ts';
import { between, plusUnit, type UnitValue, unitNamed } from './units.ts';
import { ZonedTime } from './zoned-time.ts';
import { offsetValue, Zone, zoneValue } from './zones.ts';

type Accessor = Temporal | EnumValue;

const ownField = (self: EnumValue): FieldValue => fieldNamed(self instanceof MonthValue ? 'MONTH_OF_YEAR' : 'DAY_OF_WEEK');
const longOf = (self: Accessor, field: FieldValue): bigint => {
  if (!(self instanceof EnumValue)) return fieldOf(self, field);
  return field === ownField(self) ? BigInt(self.ordinal + 1) : unsupported(`Unsupported field: ${field}`);
};
const intOf = (self: Accessor, field: FieldValue): number =>
  self instanceof EnumValue ? Number(longOf(self, field)) : intFieldOf(self, field);

/** A value that is a TemporalAdjuster. */
export type Adjuster = Temporal | EnumValue | Zone | ((time: Temporal) => Temporal);

/** Temporal.with(adjuster): a function, or a value whose fields replace those of the temporal. */
export function adjusted(self: Temporal, adjuster: Adjuster): Temporal {
  if (typeof adjuster === 'function') return adjuster(self);
  if (adjuster instanceof EnumValue) return withField(self, ownField(adjuster), BigInt(adjuster.ordinal + 1));
  if (adjuster instanceof Zone) return withField(self, fieldNamed('OFFSET_SECONDS'), BigInt(adjuster.zone.offsetAt(0) / 1000));
  const time = adjuster;
  const set = (names: string): Temporal =>
    names.split(' ').reduce((changed, name) => withField(changed, fieldNamed(name), fieldOf(time, fieldNamed(name))), self);
  switch (time.scope) {
    case 'date':
      return set('EPOCH_DAY');
    case 'time':
      return set('NANO_OF_DAY');
    case 'both':
      return set('EPOCH_DAY NANO_OF_DAY');
    case 'zoned':
      return set('EPOCH_DAY NANO_OF_DAY OFFSET_SECONDS');
    case 'instant':
      return set('INSTANT_SECONDS NANO_OF_SECOND');
    case 'months':
      return set('PROLEPTIC_MONTH');
    case 'years':
      return set('YEAR');
    case 'monthDay':
      return set('MONTH_OF_YEAR DAY_OF_MONTH');
  }
}

type Query = (time: Accessor) => unknown;
const converted =
  (name: string): Query =>
  (time) =>
    time instanceof EnumValue || !CAN_BE[name].test(time.scope) ? null : convertedTo(name, time);
const CAN_BE: Readonly<Record<string, RegExp>> = { LocalDate: /^(?:date|both|zoned)$/, LocalTime: /^(?:time|both|zoned)$/ };
const PRECISION: Readonly<Record<string, string>> = { date: 'DAYS', months: 'MONTHS', years: 'YEARS' };
const precision: Query = (time) => {
  if (time instanceof EnumValue) return unitNamed(time instanceof MonthValue ? 'MONTHS' : 'DAYS');
  return time.scope === 'monthDay' ? null : unitNamed(PRECISION[time.scope] ?? 'NANOS');
};
const offset: Query = (time) => (time instanceof ZonedTime ? offsetValue(time.view.offsetMs / 1000) : null);
const zone: Query = (time) => (time instanceof ZonedTime ? zoneValue(time.zone) : null);

defineClass('java.time.temporal.TemporalQuery', OBJECT, { functional: 'def queryFrom(TemporalAccessor)' });
defineClass('java.time.temporal.TemporalQueries', OBJECT, {
  members: {
    'static TemporalQuery localDate()': () => converted('LocalDate'),
    'static TemporalQuery localTime()': () => converted('LocalTime'),
    'static TemporalQuery precision()': () => precision,
    'static TemporalQuery offset()': () => offset,
    'static TemporalQuery zone()': () => zone,
    'static TemporalQuery zoneId()': () => (time: Accessor) => (time instanceof ZonedTime && time.isOffset ? null : zone(time)),
  },
});

const accessorMembers: Readonly<Record<string, Implementation>> = {
  'int get(TemporalField)': intOf,
  'long getLong(TemporalField)': longOf,
  'boolean isSupported(TemporalField)': (self: Accessor, field: FieldValue) =>
    self instanceof EnumValue ? field === ownField(self) : field.isIn(self),
  'ValueRange range(TemporalField)': (self: Accessor, field: FieldValue): ValueRange => {
    if (!(self instanceof EnumValue)) return rangeOf(self, field);
    return field === ownField(self) ? field.range : unsupported(`Unsupported field: ${field}`);
  },
  'def query(TemporalQuery)': (self: Accessor, query: Query) => query(self),
};
defineClass('java.time.temporal.TemporalAccessor', OBJECT, { members: accessorMembers });
defineClass('java.time.temporal.Temporal', ['java.time.temporal.TemporalAccessor'], {
  members: {
    'Temporal with(TemporalAdjuster)': adjusted,
    'Temporal with(TemporalField,long)': withField,
    'Temporal plus(long,TemporalUnit)': (self: Temporal, count: bigint, unit: UnitValue) => plusUnit(self, count, unit),
    'Temporal minus(long,TemporalUnit)': (self: Temporal, count: bigint, unit: UnitValue) => plusUnit(self, -count, unit),
    'Temporal plus(TemporalAmount)': (self: Temporal, amount: Value) => addAmount(self, amount, 1),
    'Temporal minus(TemporalAmount)': (self: Temporal, amount: Value) => addAmount(self, amount, -1),
    'long until(Temporal,TemporalUnit)': (self: Temporal, other: Temporal, unit: UnitValue) => between(unit, self, other),
  },
});
defineClass('java.time.temporal.TemporalAdjuster', OBJECT, {
  functional: 'Temporal adjustInto(Temporal)',
});
