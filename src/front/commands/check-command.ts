// The command line of `gannet front check`.
import { paintFor } from '../../common/terminal/paint.ts';
import { type Options, parseCommandLine, UsageError } from '../process/command-line.ts';
import { placesOf } from '../process/cycle.ts';
import { checkConfig } from './check.ts';
import { checkReport } from './check-report.ts';

const HELP = `usage: gannet front check [-c FILE] [-p PREFIX] [-g DIRECTIVES] [--json]
  explains each error of a configuration with its line and a hint, shows warnings, and lists directives without effect
  --json   print the findings as JSON
  exit code: 0, 1 if the configuration has errors, 2 for a wrong call
`;

/** @returns exit code */
export async function checkCommand(argv: string[]): Promise<number> {
  if (argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(HELP);
    return 0;
  }
  let options: Options;
  try {
    options = parseCommandLine(argv.filter((word) => word !== '--json'));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`gannet front check: ${error.message}\n${HELP}`);
    return 2;
  }
  const result = await checkConfig(options, placesOf(options));
  const paint = paintFor(process.stdout);
  process.stdout.write(argv.includes('--json') ? `${JSON.stringify(result, null, 2)}\n` : checkReport(result, process.cwd(), paint));
  return result.problems.some(({ level }) => level === 'error') ? 1 : 0;
}
