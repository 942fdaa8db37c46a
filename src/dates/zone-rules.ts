// Rules of the regions in the IANA database, from @js-joda/timezone, so that results do not depend on the version of Node. The database takes 0.2 s
// and 30 MB to load, so a thread loads it when it first needs a region. Bundles replace this module by dist/service/zone-rules.late.js.
import { createRequire } from 'node:module';

/** The parts of ZoneRules of @js-joda/core that are used. */
export interface ZoneRules {
  isFixedOffset(): boolean;
  offsetOfEpochMilli(utcMs: number): { totalSeconds(): number };
}

const require = createRequire(import.meta.url);

/** Loads the database if needed. @throws Error if it has no such region */
export function rulesOf(region: string): ZoneRules {
  const { ZoneId } = require('@js-joda/core') as typeof import('@js-joda/core');
  require('@js-joda/timezone');
  return ZoneId.of(region).rules();
}
