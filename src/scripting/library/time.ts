// java.time.
import { defineClass } from '../java/class-info.ts';
import type { Value } from '../java/values.ts';
import { ZonedTime } from './zoned-time.ts';

defineClass('java.time.ZonedDateTime', ['java.lang.Comparable'], {
  of: ZonedTime,
  members: {
    'int getYear()': (self: ZonedTime) => self.year,
    'int getMonthValue()': (self: ZonedTime) => self.month,
    'int getDayOfMonth()': (self: ZonedTime) => self.local.getUTCDate(),
    'int getDayOfYear()': (self: ZonedTime) => self.dayOfYear,
    'int getHour()': (self: ZonedTime) => self.local.getUTCHours(),
    'int getMinute()': (self: ZonedTime) => self.local.getUTCMinutes(),
    'int getSecond()': (self: ZonedTime) => self.local.getUTCSeconds(),
    'int getNano()': (self: ZonedTime) => self.nano,
    'long getMillis()': (self: ZonedTime) => BigInt(self.ms),
    'String toString()': (self: Value) => String(self),
  },
});
