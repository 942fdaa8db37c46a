// Decides which steps of the build are out of date, and runs them in the order of their dependencies.
//   build/.state/STEP.json   { inputs: digest, outputs: { file: [size, mtimeMs] } } of the last successful run
//   build/.lock              process id of the build that is running; others wait for it
// Inputs are compared by content, since checkouts change times; outputs by size and time, since they are large.
import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';

const STATE = 'build/.state';
const LOCK = 'build/.lock';
const LOCK_POLL_MS = 100;

/**
 * Runs the steps of `names`, and the steps that they depend on, if they are out of date.
 * @param {Readonly<Record<string, import('../build.mjs').Step>>} steps
 * @param {Iterable<string>} names
 * @param {{ common: readonly string[], force: boolean }} options  `common`: inputs of every step; `force`: every step counts as out of date
 */
export async function runSteps(steps, names, { common, force }) {
  const slots = new Slots(availableParallelism());
  const running = new Map();
  /** @returns the digest of the outputs, for the steps that depend on them */
  const bring = (name) => {
    if (!running.has(name)) running.set(name, update(name, steps[name], (steps[name].after ?? []).map(bring)));
    return running.get(name);
  };
  const update = async (name, step, dependencies) => {
    const inputs = digestOf(step, common, await Promise.all(dependencies));
    const last = readState(name);
    if (!force && last?.inputs === inputs && isIntact(last.outputs)) return digest(JSON.stringify(last.outputs));
    rmSync(stateFile(name), { force: true });
    const files = await slots.run(() => timed(name, step.run));
    const outputs = Object.fromEntries(files.map((file) => [file, fingerprint(file)]));
    const missing = files.find((file) => outputs[file] === null);
    if (missing !== undefined) throw new Error(`step ${name} did not write ${missing}`);
    for (const file of Object.keys(last?.outputs ?? {})) if (!Object.hasOwn(outputs, file)) rmSync(file, { force: true });
    mkdirSync(STATE, { recursive: true });
    writeFileSync(stateFile(name), JSON.stringify({ inputs, outputs }));
    return digest(JSON.stringify(outputs));
  };
  const results = await Promise.allSettled([...names].map(bring));
  const failure = results.find(({ status }) => status === 'rejected');
  if (failure) throw failure.reason;
}

async function timed(name, run) {
  const started = performance.now();
  const files = await run();
  process.stderr.write(`built ${name} in ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
  return files;
}

/** All files below `folder`, sorted. @returns {string[]} paths that start with `folder` */
export function listFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name).replaceAll(path.sep, '/'))
    .sort();
}

/** Runs `body` while no other process of this checkout does. */
export async function withLock(body) {
  mkdirSync('build', { recursive: true });
  await lock();
  try {
    return await body();
  } finally {
    rmSync(LOCK, { force: true });
  }
}

/** Takes the lock as soon as it is free, or its owner no longer exists. */
async function lock() {
  // A link appears together with its content; a file that is created and then written can be seen empty.
  const own = `${LOCK}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    for (let isReported = false; !link(own); await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS))) {
      const owner = lockOwner();
      if (owner === null) continue;
      if (!isAlive(owner)) breakLock(owner);
      else if (!isReported) {
        process.stderr.write(`waiting for the build of process ${owner}\n`);
        isReported = true;
      }
    }
  } finally {
    rmSync(own);
  }
}

/** @returns false if the lock exists already */
function link(own) {
  try {
    linkSync(own, LOCK);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
}

function lockOwner() {
  try {
    return Number(readFileSync(LOCK, 'utf8'));
  } catch {
    return null;
  }
}

/** Removes the lock of a process that no longer exists, but not one that another process has taken in the meantime. */
function breakLock(owner) {
  const taken = `${LOCK}.${process.pid}.stale`;
  try {
    renameSync(LOCK, taken);
    if (Number(readFileSync(taken, 'utf8')) !== owner) linkSync(taken, LOCK);
  } catch {
    // Another process was faster.
  } finally {
    rmSync(taken, { force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** At most `count` steps at a time. */
class Slots {
  #free;
  #waiting = [];

  constructor(count) {
    this.#free = count;
  }

  async run(task) {
    if (this.#free > 0) this.#free--;
    else await new Promise((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}

const stateFile = (name) => `${STATE}/${name}.json`;

function readState(name) {
  try {
    return JSON.parse(readFileSync(stateFile(name), 'utf8'));
  } catch {
    return null;
  }
}

const isIntact = (outputs) => Object.entries(outputs).every(([file, was]) => String(fingerprint(file)) === String(was));

/** Null if there is no such file. */
function fingerprint(file) {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? [stat.size, stat.mtimeMs] : null;
}

function digestOf(step, common, dependencies) {
  const files = [...common, ...step.inputs].flatMap((input) => (statSync(input).isDirectory() ? listFiles(input) : [input]));
  const contents = files.map((file) => `${file} ${contentDigest(file)}`);
  return digest([step.variant ?? '', ...dependencies, ...contents].join('\n'));
}

const contentDigests = new Map();

function contentDigest(file) {
  if (!contentDigests.has(file)) contentDigests.set(file, digest(readFileSync(file)));
  return contentDigests.get(file);
}

function digest(content) {
  return createHash('sha256').update(content).digest('hex');
}
