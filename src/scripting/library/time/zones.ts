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
function ofParts(hours: number, minutes: number, seconds: number): Offset {
  if (hours < -18 || hours > 18) badTime(`Zone offset hours not in valid range: value ${hours} is not in the range -18 to 18`);
  for (const [name, value] of [
    ['minutes', minutes],
    ['seconds', seconds],
  ] as const)
    if (value < -59 || value > 59) badTime(`Zone offset ${name} not in valid range: value ${value} is not in the range -59 to 59`);
  return offsetValue((hours * 60 + minutes) * 60 + seconds);
}
defineClass('java.time.ZoneOffset', ['java.time.ZoneId', 'java.lang.Comparable'], {
  of: Offset,
  constants: { 'ZoneOffset UTC': new Offset(UTC), 'ZoneOffset MIN': offsetValue(-18 * 3600), 'ZoneOffset MAX': offsetValue(18 * 3600) },
  members: {
    'static ZoneOffset of(String)': (id: string) =>
      /^(?:Z|[+-])/.test(id) ? new Offset(zoneNamed(id)) : badTime(`Invalid ID for ZoneOffset, invalid format: ${id}`),
    'static ZoneOffset ofHours(int)': (hours: number) => ofParts(hours, 0, 0),
    'static ZoneOffset ofHoursMinutes(int,int)': (hours: number, minutes: number) => ofParts(hours, minutes, 0),
    'static ZoneOffset ofHoursMinutesSeconds(int,int,int)': ofParts,
    'static ZoneOffset ofTotalSeconds(int)': offsetValue,
    'int getTotalSeconds()': (self: Offset) => self.seconds,
  },
});
