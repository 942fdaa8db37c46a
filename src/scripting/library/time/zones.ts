// ZoneId and ZoneOffset.
import { findZone, formatOffset, type TimeZone, UTC } from '../../../dates/zones.ts';
import { defineClass } from '../../java/class-info.ts';
import { raise } from '../../java/faults.ts';
import { equal, hashOf } from '../../java/objects.ts';
import type { Value } from '../../java/values.ts';
import { badTime } from './faults.ts';
import { OBJECT } from './interfaces.ts';

export const zoneNamed = (id: string): TimeZone => {
  const zone = findZone(id);
  if (zone) return zone;
  if (!/^[A-Za-z][A-Za-z0-9~/._+-]+$/.test(id)) return badTime(`Invalid ID for region-based ZoneId, invalid format: ${id}`);
  return raise('java.time.zone.ZoneRulesException', `Unknown time-zone ID: ${id}`);
};
/** A zone as a value of scripts. */
export class Zone {
  readonly zone: TimeZone;
  constructor(zone: TimeZone) {
    this.zone = zone;
  }
  equalTo(other: Value): boolean {
    return other instanceof Zone && other.zone.id === this.zone.id;
  }
  hash(): number {
    return hashOf(this.zone.id);
  }
  toString(): string {
    return this.zone.id;
  }
}
class Offset extends Zone {
  get seconds(): number {
    return (this.zone.fixedOffsetMs ?? 0) / 1000;
  }
}
export const zoneValue = (zone: TimeZone): Zone =>
  zone.fixedOffsetMs !== null && /^(?:Z|[+-])/.test(zone.id) ? new Offset(zone) : new Zone(zone);
export const offsetValue = (seconds: number): Offset => new Offset(zoneNamed(formatOffset(seconds, true)));

defineClass('java.time.ZoneId', OBJECT, {
  of: Zone,
  members: {
    'static ZoneId of(String)': (id: string) => zoneValue(zoneNamed(id)),
    'static ZoneId systemDefault()': () => zoneValue(UTC),
    'String getId()': (self: Zone) => self.zone.id,
    'boolean equals(Object)': (self: Value, other: Value) => equal(self, other),
    'String toString()': String,
  },
});
defineClass('java.time.ZoneOffset', ['java.time.ZoneId', 'java.lang.Comparable'], {
  of: Offset,
  constants: { 'ZoneOffset UTC': new Offset(UTC), 'ZoneOffset MIN': offsetValue(-18 * 3600), 'ZoneOffset MAX': offsetValue(18 * 3600) },
  members: {
    'static ZoneOffset of(String)': (id: string) => new Offset(zoneNamed(id)),
    'static ZoneOffset ofHours(int)': (hours: number) => offsetValue(hours * 3600),
    'static ZoneOffset ofHoursMinutes(int,int)': (hours: number, minutes: number) => offsetValue(hours * 3600 + minutes * 60),
    'static ZoneOffset ofTotalSeconds(int)': offsetValue,
    'int getTotalSeconds()': (self: Offset) => self.seconds,
  },
});
