// The `gannet` command. Each subcommand is loaded when it is used, so that none pays for another.
import { parseArguments, UsageError } from './cli/arguments.ts';
import { commandHelp, helpText, versionText } from './cli/help.ts';
import { SettingError } from './config/load-settings.ts';

const COMMANDS: Readonly<Record<string, () => Promise<(argv: string[]) => Promise<number>>>> = {
  start: async () => (await import('./cli/commands/start.ts')).startCommand,
  serve: async () => (await import('./cli/commands/serve.ts')).serveCommand,
  check: async () => (await import('./cli/commands/check.ts')).checkCommand,
  import: async () => (await import('./cli/commands/import.ts')).importCommand,
  analyze: async () => (await import('./cli/commands/analyze.ts')).analyzeCommand,
  snapshot: async () => (await import('./cli/commands/snapshot.ts')).snapshotCommand,
  restore: async () => (await import('./cli/commands/snapshot.ts')).restoreCommand,
  front: async () => (await import('./front/main.ts')).runFront,
  search: async () => (await import('./cli/commands/search.ts')).searchCommand,
  index: async () => (await import('./cli/commands/index-command.ts')).indexCommand,
  profile: async () => (await import('./cli/commands/profile.ts')).profileCommand,
  top: async () => (await import('./cli/commands/top.ts')).topCommand,
  completion: async () => (await import('./cli/completion.ts')).completionCommand,
  password: async () => (await import('./cli/commands/password.ts')).passwordCommand,
  user: async () => (await import('./cli/commands/user.ts')).userCommand,
  demo: async () => (await import('./cli/commands/demo.ts')).demoCommand,
};

/** @returns the exit code: 0 for success, 1 for a failure, 2 for a wrong call or setting */
export async function main(argv: string[]): Promise<number> {
  // Somebody tries it out; a script that calls it by mistake gets the help.
  const [command, ...rest] = argv.length === 0 && process.stdout.isTTY ? ['start'] : argv;
  if (command === '--version' || command === '-V') {
    process.stdout.write(`${versionText()}\n`);
    return 0;
  }
  if (command === undefined || command === '--help' || command === '-h' || command === 'help') {
    process.stdout.write(helpText());
    return command === undefined ? 2 : 0;
  }
  const load = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : null;
  try {
    if (load === null) throw new UsageError(`unknown command [${command}]`);
    // The front has nginx's own flags; the others share --help.
    if (command !== 'front' && parseArguments(rest).flags.help !== undefined) {
      process.stdout.write(commandHelp(command));
      return 0;
    }
    return await (await load())(rest);
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof SettingError)) throw error;
    process.stderr.write(
      `gannet: ${error.message}\n${error instanceof UsageError ? `Try \`gannet ${load === null ? '' : `${command} `}--help\`.\n` : ''}`,
    );
    return 2;
  }
}
