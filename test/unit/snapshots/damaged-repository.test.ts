// Every file of a repository, damaged in every way: what is asked of it is answered with an error that names the file, or is right. A restore brings back
// the documents of the snapshot or fails, never others, and a snapshot that does not need the file is not affected.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

const root = mkdtempSync(path.join(tmpdir(), 'gannet-damaged-'));
const WAYS: Readonly<Record<string, (bytes: Buffer) => Buffer | null>> = {
  'first byte flipped': (bytes) => flipped(bytes, 0),
  'a byte in the middle flipped': (bytes) => flipped(bytes, bytes.length >> 1),
  'last byte flipped': (bytes) => flipped(bytes, bytes.length - 1),
  'cut in half': (bytes) => bytes.subarray(0, bytes.length >> 1),
  empty: () => Buffer.alloc(0),
  longer: (bytes) => Buffer.concat([bytes, Buffer.from('more')]),
  missing: () => null,
};
/** The checks of blobs are one: of their length and checksum. Lists are read by a parser. */
const WAYS_OF_BLOBS = ['a byte in the middle flipped', 'cut in half', 'missing'];
/** Texts of unexpected errors. */
const FAULT = /internal_error|"exception"|\n\s+at .+:\d+|Cannot read|is not a function|undefined/;

let node: RestNode;
/** What a search of each snapshot's index shows. */
const contents = new Map<string, string>();

beforeAll(async () => {
  node = await openRestNode({ 'path.repo': root });
  await node.ok('PUT /_snapshot/whole', { type: 'fs', settings: { location: 'whole' } });
  for (const index of ['one', 'two']) {
    await node.ok(`PUT /${index}`, { settings: { number_of_replicas: 0 }, mappings: { properties: { t: { type: 'text' } } } });
    for (const batch of [0, 1]) {
      const lines = Array.from({ length: 20 }, (_, i) => [
        { index: { _id: String(20 * batch + i) } },
        { t: `word ${index} ${i}`, n: i },
      ]).flat();
      await node.ok(`POST /${index}/_bulk?refresh=true`, lines);
    }
    await node.ok(`PUT /_snapshot/whole/of-${index}?wait_for_completion=true`, { indices: index });
    contents.set(`of-${index}`, await shown(index));
  }
  await node.ok('POST /one/_bulk?refresh=true', [{ delete: { _id: '3' } }, { index: { _id: '4' } }, { t: 'changed' }]);
  await node.ok('PUT /_snapshot/whole/later?wait_for_completion=true', { indices: 'one' });
  contents.set('later', await shown('one'));
});
afterAll(async () => {
  await node.close();
  rmSync(root, { recursive: true });
});

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  if (copy.length > 0) copy[at] ^= 0x41;
  return copy;
}

async function shown(index: string): Promise<string> {
  const { hits } = await node.ok(`POST /${index}/_search`, { size: 100, sort: 'n', query: { match_all: {} } });
  return JSON.stringify(hits.hits.map(({ _id, _source }: any) => [_id, _source]).sort());
}

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => statSync(path.join(folder, file)).isFile());

let copies = 0;

/** A repository that is a copy of the whole one with a damaged file. */
async function damaged(file: string, damage: (bytes: Buffer) => Buffer | null): Promise<string> {
  const name = `copy-${copies++}`;
  const folder = path.join(root, name);
  cpSync(path.join(root, 'whole'), folder, { recursive: true });
  const bytes = damage(readFileSync(path.join(folder, file)));
  if (bytes === null) rmSync(path.join(folder, file));
  else writeFileSync(path.join(folder, file), bytes);
  await node.send(`PUT /_snapshot/${name}`, { type: 'fs', settings: { location: name } });
  return name;
}

/** @returns null for a failure, otherwise what was restored */
async function restored(repository: string, snapshot: string): Promise<string | null> {
  const body = { rename_pattern: '.+', rename_replacement: 'back' };
  const answer = await node.send(`POST /_snapshot/${repository}/${snapshot}/_restore?wait_for_completion=true`, body);
  expect(answer.text, `${repository} ${snapshot}`).not.toMatch(FAULT);
  const isWhole = answer.status === 200 && answer.json.snapshot.shards.failed === 0;
  const result = isWhole ? await shown('back') : null;
  await node.send('DELETE /back');
  return result;
}

test.each(Object.keys(WAYS))('a file that is %s', async (way) => {
  let failures = 0;
  const files = filesOf(path.join(root, 'whole')).filter((file) => !file.startsWith('blobs') || WAYS_OF_BLOBS.includes(way));
  for (const file of files) {
    const repository = await damaged(file, WAYS[way]);
    const where = `${file} ${way}`;
    const lines = ['GET X/_all', 'GET X/of-one', 'GET X/later/_status', 'POST X/_verify', 'GET X/_status', 'GET X'];
    for (const line of lines) {
      const { status, text } = await node.send(line.replace('X', `/_snapshot/${repository}`));
      expect(text, `${where}: ${line}`).not.toMatch(FAULT);
      if (status >= 400) expect(text, `${where}: ${line}`).toMatch(/"type":"(?:repository|snapshot|corrupt)\w*_exception"/);
    }
    const found: string[] = [];
    for (const [snapshot, expected] of contents) {
      const result = await restored(repository, snapshot);
      expect([null, expected], `${where}: ${snapshot}`).toContain(result);
      if (result !== null) found.push(snapshot);
    }
    failures += contents.size - found.length;
    // What belongs to one snapshot harms no other: its blobs are in the folder of its index.
    if (!found.includes('of-two')) expect(found.length === 0 || found.includes('later'), where).toBe(true);
    // Deleting a snapshot from a damaged repository does not take blobs of others with it.
    const deletion = await node.send(`DELETE /_snapshot/${repository}/of-one`);
    expect(deletion.text, where).not.toMatch(FAULT);
    const other = found.find((snapshot) => snapshot !== 'of-one');
    if (other !== undefined) expect(await restored(repository, other), `${where}, after a deletion`).toBe(contents.get(other));
    await node.send(`DELETE /_snapshot/${repository}`);
    rmSync(path.join(root, repository), { recursive: true });
  }
  expect(files.length).toBeGreaterThan(2);
  if (WAYS_OF_BLOBS.includes(way)) expect(failures).toBeGreaterThan(0);
});
