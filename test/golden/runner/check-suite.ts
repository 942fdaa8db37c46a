// A recorded suite as a test: a case that differs and is not in test/golden/exceptions.md fails, and so does a case of that list that no
// longer differs. `npm run golden:update` rewrites the list; review its diff, and give each new exception its reason.
import { expect, test } from 'vitest';
import { readExceptions, UNEXPLAINED } from './exceptions.ts';
import { runSuite, type Suite } from './suites.ts';

const LIMIT_MS = 300_000;

export function checkSuite(suite: Suite): void {
  test(
    `${suite}: answers are the recorded ones, except for the known exceptions`,
    async () => {
      const exceptions = readExceptions(suite);
      const { differences } = await runSuite(suite);
      const appeared = [...differences].filter(([id]) => !exceptions.has(id)).map(([id, difference]) => `${id}: ${difference}`);
      const vanished = [...exceptions.keys()].filter((id) => !differences.has(id));
      expect({ appeared, vanished }).toEqual({ appeared: [], vanished: [] });
      expect([...exceptions].filter(([, reason]) => reason === UNEXPLAINED)).toEqual([]);
    },
    LIMIT_MS,
  );
}
