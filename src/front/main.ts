// `gannet front`, and bin/gannet-nginx with nginx's command line.

import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { present } from '../common/present.ts';
import { HELP, type Options, parseCommandLine, UsageError } from './process/command-line.ts';
import type { Places } from './process/cycle.ts';
import { systemError } from './system-error.ts';
import { buildText, versionText } from './version.ts';

/** Commands in addition to nginx's flags, loaded on use. */
const COMMANDS: Readonly<Record<string, () => Promise<(argv: string[]) => Promise<number>>>> = {
  top: async () => (await import('./commands/top.ts')).topCommand,
  init: async () => (await import('./commands/init.ts')).initCommand,
  check: async () => (await import('./commands/check-command.ts')).checkCommand,
};

/**
 * Runs the front until it exits.
 * @param argv  arguments after `front`
 * @returns exit status: 0, or 1 if the configuration or a socket is invalid
 */
export async function runFront(argv: string[]): Promise<number> {
  const command = Object.hasOwn(COMMANDS, argv[0] ?? '') ? await COMMANDS[argv[0]]() : null;
  if (command) return command(argv.slice(1));
  let options: Options;
  try {
    options = parseCommandLine(argv);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`nginx: ${error.message}\n`);
    return 1;
  }
  if (options.show) {
    const text = options.show === 'version' ? versionText() : options.show === 'build' ? buildText() : `${versionText()}\n${HELP}`;
    process.stderr.write(`${text}\n`);
    return 0;
  }
  const { placesOf } = await import('./process/cycle.ts');
  const places = placesOf(options);
  touchErrorLog(places.errorLog);
  if (options.signal) return sendSignal(options, places);
  try {
    if (options.test) {
      await testConfig(options, places);
      return 0;
    }
    const { Master } = await import('./process/master.ts');
    const main = new Master(options, places);
    if (process.env.GANNET_FRONT_DAEMON !== '1' && (await wantsDaemon(options, places))) {
      daemonize();
      return 0;
    }
    return await main.run();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    reportEmergency(places.errorLog, message);
    if (options.test) process.stderr.write(`nginx: configuration file ${places.confFile} test failed\n`);
    if (error instanceof Error && process.env.GANNET_FRONT_STACK) process.stderr.write(`${error.stack}\n`);
    return 1;
  }
}

/** The log must exist even if nothing is ever logged. */
function touchErrorLog(file: string): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    closeSync(openSync(file, 'a', 0o640));
  } catch (error) {
    process.stderr.write(`nginx: [alert] could not open error log file: open() "${file}" failed (${systemError(error)})\n`);
  }
}

function reportEmergency(errorLog: string, message: string): void {
  process.stderr.write(`nginx: [emerg] ${message}\n`);
  void import('./log/error-log.ts').then(({ FileSink, logTo }) => logTo([{ sink: new FileSink(errorLog), level: 7 }], 'emerg', message));
}

async function testConfig(options: Options, places: Places): Promise<void> {
  const { loadCycle } = await import('./process/cycle.ts');
  await loadCycle(options, places);
  if (!options.quiet) {
    process.stderr.write(`nginx: the configuration file ${places.confFile} syntax is ok\n`);
    process.stderr.write(`nginx: configuration file ${places.confFile} test is successful\n`);
  }
  if (!options.dump) return;
  const { parseConfig } = await import('./config/syntax.ts');
  for (const { path: file, text } of parseConfig(places.confFile, places.confPrefix, options.globals).files) {
    process.stdout.write(Buffer.from(`# configuration file ${file}:\n${text}\n`, 'latin1'));
  }
}

async function wantsDaemon(options: Options, places: Places): Promise<boolean> {
  const { loadCycle } = await import('./process/cycle.ts');
  const { parseConfig } = await import('./config/syntax.ts');
  const node = parseConfig(places.confFile, places.confPrefix, options.globals).nodes.findLast((n) => n.name === 'daemon');
  if (node?.args[0] === 'off') return false;
  await loadCycle(options, places);
  return true;
}

/** Restarts the front detached. The configuration was valid, so the caller may assume that it runs. */
function daemonize(): void {
  const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, GANNET_FRONT_DAEMON: '1' },
  });
  child.unref();
}

async function sendSignal(options: Options, places: Places): Promise<number> {
  const { loadCycle } = await import('./process/cycle.ts');
  const names = { stop: 'SIGTERM', quit: 'SIGQUIT', reload: 'SIGHUP', reopen: 'SIGUSR1' } as const;
  try {
    const cycle = await loadCycle(options, places);
    const pid = Number(readFileSync(path.resolve(places.prefix, cycle.main.pidFile), 'utf8'));
    process.kill(pid, names[present(options.signal)]);
    return 0;
  } catch (error) {
    process.stderr.write(`nginx: [error] ${(error as Error).message}\n`);
    return 1;
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  runFront(process.argv.slice(2)).then(
    (code) => {
      process.exitCode = code;
      setTimeout(() => process.exit(code), 20);
    },
    (error) => {
      process.stderr.write(`nginx: [emerg] ${error?.stack ?? error}\n`);
      process.exit(1);
    },
  );
}
