// `gannet check`: reads a whole data directory that no service is using, prints what is damaged and lost, and repairs what it can.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { checkDirectory, type DirectoryCheck } from '../../check/directory-check.ts';
import { repairDirectory } from '../../check/repair.ts';
import { ApiError } from '../../errors/api-error.ts';
import { lockDirectory } from '../../store/directory-lock.ts';
import { checkStorePages, storeFileOf } from '../../store/store-check.ts';
import { parseArguments, UsageError } from '../arguments.ts';
import { Progress } from '../progress.ts';
import { serveSettings } from '../service/serve-settings.ts';

/** Exit codes besides 0 (nothing damaged, or all of it repaired) and 2 (wrong call). */
const EXIT_DAMAGED = 1;
const EXIT_LOST = 4;
const EXIT_IN_USE = 78;

export async function checkCommand(argv: string[]): Promise<number> {
  const args = parseArguments(argv);
  if (args.positionals.length > 0) throw new UsageError(`unexpected argument [${args.positionals[0]}]`);
  const own = new Set(['--repair', '--pages']);
  const directory = path.resolve(serveSettings(argv.filter((argument) => !own.has(argument)))['path.data']);
  if (!existsSync(directory)) throw new UsageError(`path.data [${directory}] does not exist`);
  // Used by the service itself: reads the pages of its store, of which it holds a snapshot.
  if (args.flags.pages !== undefined) return printLines(checkStorePages(directory));
  let lock: ReturnType<typeof lockDirectory>;
  try {
    lock = lockDirectory(directory);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    process.stderr.write(`gannet: ${error.reason}; stop the service first\n`);
    return EXIT_IN_USE;
  }
  try {
    return await checkAndRepair(directory, args.flags.repair !== undefined);
  } finally {
    lock.release();
  }
}

async function checkAndRepair(directory: string, repairs: boolean): Promise<number> {
  if (!existsSync(storeFileOf(directory)) && !existsSync(path.join(directory, 'indices')) && !existsSync(path.join(directory, 'store'))) {
    process.stdout.write(`${directory} has no data\n`);
    return 0;
  }
  const checked = runCheck(directory);
  printCheck(checked);
  if (checked.damage.length === 0 && checked.lost.length === 0) return 0;
  if (!repairs) {
    process.stdout.write('\nCopy the data directory, then run `gannet check --repair`.\n');
    return EXIT_DAMAGED;
  }
  const { actions, uncertain, remaining } = await repairDirectory(directory, checked);
  printList('repaired', actions);
  printList('not repaired', remaining);
  printList(
    'recovered, but may have been deleted or replaced before',
    uncertain.map(({ index, id }) => `${index} ${id}`),
  );
  const again = runCheck(directory);
  if (again.damage.length > 0) {
    printList('still damaged', again.damage);
    return EXIT_DAMAGED;
  }
  return checked.lost.length + remaining.length + uncertain.length > 0 ? EXIT_LOST : 0;
}

function runCheck(directory: string): DirectoryCheck {
  const progress = process.stderr.isTTY ? new Progress('check') : null;
  const checked = checkDirectory(directory, (share, count) => progress?.update(share, count));
  progress?.finish(checked.contents.records);
  return checked;
}

function printCheck({ contents, shards, damage, notes, lost, documents }: DirectoryCheck): void {
  const indices = new Set(shards.map(({ place }) => place.uuid)).size;
  const summary = `${indices} indices, ${shards.length} shards, ${documents} documents in segments, ${contents.records} operations in the log`;
  process.stdout.write(`${summary}\n`);
  printList('damaged', damage);
  printList('notes', notes);
  printList(
    'lost documents',
    lost.map(({ index, shard, id, seqNo }) => `${index} ${id === null ? '(unknown id)' : id} (shard ${shard}, operation ${seqNo})`),
  );
  if (damage.length === 0 && lost.length === 0) process.stdout.write('nothing is damaged\n');
}

function printList(title: string, lines: readonly string[]): void {
  if (lines.length > 0) process.stdout.write(`\n${title}\n${lines.map((line) => `  ${line}\n`).join('')}`);
}

function printLines(lines: readonly string[]): number {
  for (const line of lines) process.stdout.write(`${line}\n`);
  return lines.length > 0 ? EXIT_DAMAGED : 0;
}
