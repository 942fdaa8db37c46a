/**
 * Random configurations and requests, sent to nginx 1.22 and to the front, which must answer, log and send requests to back ends alike. Without nginx
 * it is skipped. BEHAVIOUR_AREAS (names, or `all`), BEHAVIOUR_SEED and BEHAVIOUR_ROUNDS choose other cases than the few of every run, which are from
 * areas without known differences.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { Rng } from '../../support/rng.ts';
import { CONTENT_AREAS, type Generator, SITE } from './behaviour/areas-content.ts';
import { UPSTREAM_AREAS } from './behaviour/areas-upstream.ts';
import { type Case, Comparison, NGINX } from './behaviour/compare.ts';

const MAIN = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../dist/front/main.js');
const FIRST = Number(process.env.BEHAVIOUR_SEED ?? 1);
const ROUNDS = Number(process.env.BEHAVIOUR_ROUNDS ?? 4);

const areas: Record<string, Generator> = { ...CONTENT_AREAS, ...UPSTREAM_AREAS };
const EQUAL =
  'autoindex tryFiles errorPage returns rewriting ifs maps headers conditional sub ssi gzip addition access links userid limits logs variables memcached peers';
const asked = process.env.BEHAVIOUR_AREAS ?? EQUAL.replaceAll(' ', ',');
const names = asked === 'all' ? Object.keys(areas) : asked.split(',');

describe.skipIf(!NGINX)('the front and nginx', () => {
  for (const area of names) {
    const generate = areas[area];
    test(area, async () => {
      const cases: Case[] = Array.from({ length: ROUNDS }, (_, n) => ({ area, ...generate(new Rng(FIRST + n)) }));
      const folder = path.join(mkdtempSync(path.join(tmpdir(), 'gannet-behaviour-')), 'site');
      const comparison = new Comparison(folder, await freePort(), SITE, [process.execPath, MAIN]);
      await comparison.open();
      try {
        const { differences, requests } = await comparison.compare(cases);
        expect(requests).toBeGreaterThan(0);
        expect(differences.slice(0, 3)).toEqual([]);
      } finally {
        comparison.close();
        rmSync(path.dirname(folder), { recursive: true, force: true });
      }
    });
  }
});
