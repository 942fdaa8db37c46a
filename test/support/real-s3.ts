// A real S3 server for tests, in a process of its own: gofakes3, which the Go toolchain builds once per machine. `GANNET_TEST_MINIO`, the path of a
// MinIO binary, tests with that instead.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort } from './free-port.ts';

const MODULE = 'github.com/johannesboyne/gofakes3/cmd/gofakes3@v1.2.0';
const BUILD_TIMEOUT_MS = 240_000;
const START_TRIES = 200;
const KEY = 'gannet-test';

export interface RealS3 {
  readonly url: string;
  /** Access key and secret key. */
  readonly key: string;
  stop(): Promise<void>;
}

interface Program {
  readonly command: string;
  readonly args: (address: string, folder: string, bucket: string) => string[];
}

/** The server's program, or the reason why there is none. */
export function findS3Program(): Program | string {
  const minio = process.env.GANNET_TEST_MINIO;
  if (minio !== undefined)
    return { command: minio, args: (address, folder) => ['server', '--quiet', '--address', address, path.join(folder, 'minio')] };
  const folder = path.join(os.tmpdir(), `gannet-gofakes3-${MODULE.split('@')[1]}`);
  const command = path.join(folder, 'gofakes3');
  if (!existsSync(command)) {
    const build = spawnSync('go', ['install', MODULE], {
      env: { ...process.env, GOBIN: folder },
      encoding: 'utf8',
      timeout: BUILD_TIMEOUT_MS,
    });
    if (build.status !== 0) return `gofakes3 cannot be built: ${build.error?.message ?? build.stderr.trim().split('\n').at(-1)}`;
  }
  return { command, args: (address, _, bucket) => ['-host', address, '-backend', 'memory', '-initialbucket', bucket] };
}

/** Starts the server with an empty bucket. */
export async function startRealS3(program: Program, bucket: string): Promise<RealS3> {
  const port = await freePort();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gannet-s3-'));
  const child = spawn(program.command, program.args(`127.0.0.1:${port}`, folder, bucket), {
    stdio: 'ignore',
    env: { ...process.env, HOME: folder, MINIO_ROOT_USER: KEY, MINIO_ROOT_PASSWORD: KEY, MINIO_BROWSER: 'off' },
  });
  const url = `http://127.0.0.1:${port}`;
  await untilAnswering(url, child);
  await createBucket(url, bucket);
  return {
    url,
    key: KEY,
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilAnswering(url: string, child: ChildProcess): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    if (child.exitCode !== null) throw new Error(`the S3 server ended with ${child.exitCode}`);
    const isUp = await fetch(url).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    if (attempt === START_TRIES) throw new Error('the S3 server does not answer');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function createBucket(url: string, bucket: string): Promise<void> {
  const { S3Client, CreateBucketCommand } = await import('@aws-sdk/client-s3');
  const client = new S3Client({
    endpoint: url,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: KEY, secretAccessKey: KEY },
  });
  try {
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
  } catch (error) {
    if (!/BucketAlready/.test((error as Error).name)) throw error;
  } finally {
    client.destroy();
  }
}
