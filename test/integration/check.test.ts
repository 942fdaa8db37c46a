// A bit is flipped in each kind of page and file of a data directory. The service then refuses to start, or serves no wrong document, and lacks
// documents only with red health; `gannet check --repair` brings back everything but the documents that it lists.
// GANNET_CHECK_ROUNDS sets the number of flips of each kind; GANNET_SEED the first seed.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { checkDirectory, type DirectoryCheck } from '../../src/check/directory-check.ts';
import { repairDirectory } from '../../src/check/repair.ts';
import { checkCommand } from '../../src/cli/commands/check.ts';
import { lockDirectory } from '../../src/store/directory-lock.ts';
import { newestMeta, PageFile } from '../../src/store/page-file.ts';
import { walkPages } from '../../src/store/page-walk.ts';
import { checkStoreAtStart } from '../../src/store/store-check.ts';
import { openRestNode, type RestNode } from '../support/rest-node.ts';
import { Rng } from '../support/rng.ts';

const ROUNDS = Number(process.env.GANNET_CHECK_ROUNDS ?? 1);
const FIRST_SEED = Number(process.env.GANNET_SEED ?? 1);
const PAGE_BYTES = 4096;
const INDICES = ['books', 'notes'];
const root = mkdtempSync(path.join(tmpdir(), 'gannet-check-'));
const whole = path.join(root, 'whole');
/** Sources by `index/id`. */
const expected = new Map<string, string>();
afterAll(() => rmSync(root, { recursive: true, force: true }));

beforeAll(async () => {
  const node = await openRestNode({}, path.join(root, 'first'));
  const rng = new Rng(3);
  await node.ok('PUT /books', {
    settings: { number_of_shards: 2, number_of_replicas: 0 },
    mappings: { properties: { parts: { type: 'nested' } } },
  });
  await node.ok('PUT /notes', { settings: { number_of_replicas: 0 }, aliases: { memos: {} } });
  await node.ok('PUT /_index_template/t', { index_patterns: ['t-*'] });
  for (let batch = 0; batch < 6; batch++) {
    const lines: unknown[] = [];
    for (let i = 0; i < 60; i++) {
      const index = rng.pick(INDICES);
      const id = String(rng.int(0, 150));
      if (rng.bool(0.15)) {
        lines.push({ delete: { _index: index, _id: id } });
        expected.delete(`${index}/${id}`);
        continue;
      }
      const source = { text: 'word '.repeat(rng.pick([3, 30, 300, 2000])), n: batch * 60 + i, parts: [{ a: 1 }, { a: i }] };
      lines.push({ index: { _index: index, _id: id } }, source);
      expected.set(`${index}/${id}`, JSON.stringify(source));
    }
    await node.ok('POST /_bulk?refresh=true', lines);
    // The last batches stay in the log, after the commit point.
    if (batch < 4) await node.ok('POST /_flush');
  }
  // A copy of the running node's files is like the state after a crash.
  cpSync(path.join(root, 'first'), whole, { recursive: true });
  rmSync(path.join(whole, 'node.lock'));
  await node.close();
});

interface Place {
  readonly kind: string;
  readonly file: string;
  /** First byte and length of the range in which a bit is flipped. */
  readonly from: number;
  readonly bytes: number;
}

/** Pages of the store by kind, and segment files. */
function placesOf(): Map<string, Place[]> {
  const kinds = new Map<string, Place[]>();
  const add = (place: Place): void => void kinds.set(place.kind, [...(kinds.get(place.kind) ?? []), place]);
  const file = 'store/data.mdb';
  const bytes = readFileSync(path.join(whole, file));
  const pages = PageFile.open(path.join(whole, file));
  const { used } = walkPages(pages, newestMeta(pages.metas().metas), { countsPages: true });
  pages.close();
  for (let page = 0; page < bytes.length / PAGE_BYTES; page++) {
    const start = page * PAGE_BYTES;
    const flags = bytes.readUInt16LE(start + 18);
    const isHead = bytes.readUIntLE(start, 6) === page;
    const kind =
      page < 2
        ? 'meta page'
        : !used?.[page]
          ? 'free page'
          : !isHead
            ? 'rest of a long record'
            : ({ 1: 'branch page', 2: 'leaf page', 4: 'long record' }[flags] ?? 'leaf page');
    if (page < 2) add({ kind, file, from: start, bytes: 180 });
    else add({ kind, file, from: start, bytes: PAGE_BYTES });
    if (kind === 'branch page' || kind === 'leaf page') add({ kind: `header of a ${kind}`, file, from: start + 16, bytes: 8 });
  }
  for (const name of readdirSync(path.join(whole, 'indices'), { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.seg'))
      add({ kind: 'segment', file: `indices/${name}`, from: 0, bytes: readFileSync(path.join(whole, 'indices', name)).length });
  return kinds;
}

/** Header, table of contents and sections of the segment files by kind (docs/internals/segment-format.md). */
function segmentParts(): Map<number, Place[]> {
  const HEADER = -1;
  const parts = new Map<number, Place[]>();
  for (const { file } of placesOf().get('segment') ?? []) {
    const image = readFileSync(path.join(whole, file));
    const [count, toc] = [image.readUInt32LE(16), image.readUInt32LE(20)];
    const add = (kind: number, from: number, bytes: number) =>
      void (bytes > 0 && parts.set(kind, [...(parts.get(kind) ?? []), { kind: String(kind), file, from, bytes }]));
    add(HEADER, 0, 32);
    add(HEADER, toc, count * 32);
    for (let at = toc; at < toc + count * 32; at += 32)
      add(image.readUInt32LE(at), image.readUInt32LE(at + 8), image.readUInt32LE(at + 12));
  }
  return parts;
}

let copies = 0;
function damagedCopy({ file, from, bytes }: Place, rng: Rng): string {
  const directory = path.join(root, `copy-${copies++}`);
  cpSync(whole, directory, { recursive: true });
  const content = readFileSync(path.join(directory, file));
  content[from + rng.int(0, bytes - 1)] ^= 1 << rng.int(0, 7);
  writeFileSync(path.join(directory, file), content);
  return directory;
}

interface Reading {
  readonly health: string;
  /** Documents that were served with another source, or found though they were deleted. */
  readonly wrong: string[];
  /** Documents that the service says do not exist. */
  readonly missing: string[];
  /** Documents whose reading failed with an error. */
  readonly failed: string[];
}

async function readAll(node: RestNode): Promise<Reading> {
  const wrong: string[] = [];
  const missing: string[] = [];
  const failed: string[] = [];
  for (const index of INDICES) {
    for (let id = 0; id <= 150; id++) {
      const name = `${index}/${id}`;
      const { status, json } = await node.send(`GET /${index}/_doc/${id}`);
      const source = expected.get(name);
      if (status === 200 && JSON.stringify(json._source) !== source) wrong.push(name);
      else if (status === 404 && source !== undefined) missing.push(name);
      else if (status !== 200 && status !== 404) failed.push(name);
    }
    const counted = await node.send(`POST /${index}/_search?size=200`, { track_total_hits: true });
    const real = [...expected.keys()].filter((name) => name.startsWith(`${index}/`)).length;
    if (counted.status === 200 && counted.json._shards.failed === 0) {
      if (counted.json.hits.total.value < real) missing.push(`${index}: ${counted.json.hits.total.value} of ${real}`);
      for (const hit of counted.json.hits.hits)
        if (JSON.stringify(hit._source) !== expected.get(`${index}/${hit._id}`)) wrong.push(`${index}/${hit._id} in a search`);
    } else failed.push(index);
  }
  // Runs after the main thread has received the reports of the reads above.
  await node.ok('PUT /_cluster/settings', { transient: { 'search.max_buckets': 1000 } });
  const { json: health } = await node.send('GET /_cluster/health');
  return { health: health.status, wrong, missing, failed };
}

/** Result of a start on a directory: refused with a reason, or serving. */
async function serve(directory: string, flags: Record<string, unknown> = {}): Promise<Reading | string> {
  try {
    checkStoreAtStart(directory, true);
    const node = await openRestNode(flags, directory);
    try {
      return await readAll(node);
    } finally {
      await node.close();
    }
  } catch (error) {
    return (error as Error).message;
  }
}

test('a whole directory has no damage, and all its documents are read', async () => {
  const checked = checkDirectory(whole, () => undefined);
  expect({ damage: checked.damage, lost: checked.lost, notes: checked.notes }).toEqual({ damage: [], lost: [], notes: [] });
  const directory = path.join(root, 'served');
  cpSync(whole, directory, { recursive: true });
  expect(await serve(directory)).toEqual({ health: 'green', wrong: [], missing: [], failed: [] });
});

/** Exit code and output of `gannet check`. */
async function command(...argv: string[]): Promise<{ code: number; output: string }> {
  let output = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    output += String(text);
    return true;
  });
  const complain = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  try {
    return { code: await checkCommand(argv), output };
  } finally {
    write.mockRestore();
    complain.mockRestore();
  }
}

test('the exit code shows whether something is damaged, repaired, lost or in use', async () => {
  const directory = path.join(root, 'command');
  cpSync(whole, directory, { recursive: true });
  const flag = `--path.data=${directory}`;
  expect(await command(flag)).toMatchObject({ code: 0, output: expect.stringContaining('nothing is damaged') });
  const lock = lockDirectory(directory);
  expect((await command(flag)).code).toBe(78);
  lock.release();
  const [segment] = placesOf().get('segment') ?? [];
  const file = path.join(directory, segment.file);
  const content = readFileSync(file);
  content[content.length >> 1] ^= 1;
  writeFileSync(file, content);
  expect(await command(flag)).toMatchObject({ code: 1, output: expect.stringContaining(path.basename(file)) });
  expect((await command('--repair', flag)).code).toBe(0);
  expect((await command(flag)).code).toBe(0);
  await expect(command('--path.data=/nowhere')).rejects.toThrow('does not exist');
});

const KINDS = [
  'meta page',
  'branch page',
  'header of a branch page',
  'leaf page',
  'header of a leaf page',
  'long record',
  'rest of a long record',
  'free page',
  'segment',
];

describe.each(KINDS)('a flipped bit in a %s', (kind) => {
  test.each(Array.from({ length: ROUNDS }, (_, i) => FIRST_SEED + i))('seed %i', async (seed) => {
    const rng = new Rng(seed);
    const places = placesOf().get(kind) ?? [];
    expect(places.length, `there is a ${kind}`).toBeGreaterThan(0);
    const directory = damagedCopy(rng.pick(places), rng);
    const served = path.join(root, `served-${copies}`);
    cpSync(directory, served, { recursive: true });
    const before = await serve(served);
    if (typeof before === 'string') expect(before).toMatch(/damaged|checksum|corrupt/);
    else {
      expect(before.wrong).toEqual([]);
      if (before.missing.length + before.failed.length > 0) expect(before.health).toBe('red');
    }
    const checked = checkDirectory(directory, () => undefined);
    if (typeof before === 'string' || before.health === 'red') expect(checked.damage).not.toEqual([]);
    expect(await repairAndRead(directory, checked)).toMatchObject({ wrong: [], missing: [], failed: [], health: 'green' });
  });
});

// Searches read postings, norms, columns and nested documents of a segment, of which a damaged one is found when it is read.
const READERS: readonly object[] = [
  { query: { match: { text: 'word' } } },
  { query: { match_phrase: { text: 'word word' } } },
  { query: { range: { n: { gte: 0 } } }, sort: ['n'] },
  { query: { range: { 'parts.a': { gte: 1 } } } },
  { query: { exists: { field: 'n' } }, aggs: { n: { stats: { field: 'n' } } } },
];

test.each([
  ['whole', {}],
  ['in parts', { 'memory.whole_segment_size': 0 }],
])(
  'a flipped bit in each kind of section of segments that are read %s causes no wrong answer',
  async (_how, flags) => {
    const rng = new Rng(FIRST_SEED);
    const answers = async (node: RestNode) =>
      Promise.all(
        INDICES.flatMap((index) =>
          READERS.map((body) => node.send(`POST /${index}/_search`, { size: 200, track_total_hits: true, ...body })),
        ),
      );
    const kept = ({ json }: { json: any }) => JSON.stringify([json.hits.hits, json.hits.total, json.aggregations]);
    const healthy = path.join(root, `healthy-${copies++}`);
    cpSync(whole, healthy, { recursive: true });
    const node = await openRestNode(flags, healthy);
    const right = (await answers(node)).map(kept);
    await node.close();
    for (const [kind, places] of segmentParts()) {
      const place = rng.pick(places);
      const directory = damagedCopy(place, rng);
      const [found, ...others] = checkDirectory(directory, () => undefined).damage;
      expect(JSON.stringify(found), `kind ${kind}`).toContain(path.basename(place.file));
      expect(others.length, `kind ${kind}`).toBeLessThanOrEqual(1);
      const damaged = await openRestNode(flags, directory);
      try {
        const all = await answers(damaged);
        const isRead = all.map(({ status, json }) => status === 200 && json._shards.failed === 0);
        for (const [i, answer] of all.entries()) if (isRead[i]) expect(kept(answer), `kind ${kind}, ${i}`).toBe(right[i]);
        await damaged.ok('PUT /_cluster/settings', { transient: { 'search.max_buckets': 1000 } });
        const health = await damaged.ok('GET /_cluster/health');
        if (isRead.includes(false)) expect(health.status, `kind ${kind}`).toBe('red');
      } finally {
        await damaged.close();
      }
    }
  },
  60_000,
);

/** Whether the documents of an index whose metadata is lost were written to a file. */
function isExported(directory: string, checked: DirectoryCheck, index: string): boolean {
  if (checked.nameless.size === 0 || checked.shards.some(({ place }) => place.index === index)) return false;
  const lines = readdirSync(directory).flatMap((name) =>
    /^lost-.*\.ndjson$/.test(name) ? readFileSync(path.join(directory, name), 'utf8').split('\n') : [],
  );
  const exported = new Map<string, string>();
  for (let i = 0; i + 1 < lines.length; i += 2) exported.set(`${index}/${JSON.parse(lines[i]).index._id}`, lines[i + 1]);
  return [...expected].every(([name, source]) => !name.startsWith(`${index}/`) || exported.get(name) === source);
}

/** Documents after a repair, without those that check and repair list as lost or uncertain. */
async function repairAndRead(directory: string, checked: DirectoryCheck): Promise<Reading | string> {
  const isDamaged = checked.damage.length + checked.lost.length > 0;
  const { uncertain } = isDamaged ? await repairDirectory(directory, checked) : { uncertain: [] };
  expect(checkDirectory(directory, () => undefined).damage).toEqual([]);
  const exported = INDICES.filter((index) => isExported(directory, checked, index));
  const after = await serve(directory);
  if (typeof after === 'string') return after;
  const listed = new Set([...checked.lost, ...uncertain].map(({ index, id }) => `${index}/${id}`));
  const isListed = (name: string): boolean => {
    const [document] = name.split(' ');
    // A count is lower by the documents that are lost.
    const [, index, found, real] = /^(\w+): (\d+) of (\d+)$/.exec(name) ?? [];
    // Not even the id of a record that cannot be read is known; an index without metadata is in a file.
    const [of] = document.split('/');
    if (index === undefined) return listed.has(document) || listed.has(`${of}/null`) || exported.includes(of);
    return Number(real) - Number(found) <= [...listed].filter((one) => one.startsWith(`${index}/`)).length;
  };
  return {
    ...after,
    failed: after.failed.filter((name) => !exported.includes(name.split('/')[0])),
    wrong: after.wrong.filter((name) => !isListed(name)),
    missing: after.missing.filter((name) => !isListed(name)),
  };
}
