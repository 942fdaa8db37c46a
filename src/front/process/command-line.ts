// nginx's command line: `-c -p -g -e -s -t -T -v -V -q -h`.
import { present } from '../../common/present.ts';
export interface Options {
  config?: string;
  prefix?: string;
  globals: string;
  errorLog?: string;
  signal?: 'stop' | 'quit' | 'reload' | 'reopen';
  test: boolean;
  dump: boolean;
  quiet: boolean;
  show?: 'version' | 'build' | 'help';
}

export class UsageError extends Error {}

/** @throws UsageError */
export function parseCommandLine(argv: string[]): Options {
  const options: Options = { globals: '', test: false, dump: false, quiet: false };
  const words = [...argv];
  while (words.length > 0) {
    const word = present(words.shift());
    if (!word.startsWith('-') || word === '-') throw new UsageError(`invalid option: "${word}"`);
    for (let n = 1; n < word.length; n++) {
      const letter = word[n];
      const rest = word.slice(n + 1);
      const value = (): string => {
        n = word.length;
        const text = rest || words.shift();
        if (text === undefined) throw new UsageError(`option "-${letter}" requires parameter`);
        return text;
      };
      if (letter === 'v') options.show ??= 'version';
      else if (letter === 'V') options.show = 'build';
      else if (letter === 'h' || letter === '?') options.show = 'help';
      else if (letter === 't') options.test = true;
      else if (letter === 'T') options.test = options.dump = true;
      else if (letter === 'q') options.quiet = true;
      else if (letter === 'c') options.config = value();
      else if (letter === 'p') options.prefix = value();
      else if (letter === 'g') options.globals = value();
      else if (letter === 'e') options.errorLog = value();
      else if (letter === 's') {
        const signal = value();
        if (signal !== 'stop' && signal !== 'quit' && signal !== 'reload' && signal !== 'reopen') {
          throw new UsageError(`invalid option: "-s ${signal}"`);
        }
        options.signal = signal;
      } else throw new UsageError(`invalid option: "${letter}"`);
    }
  }
  return options;
}

export const HELP = `Usage: gannet front [-?hvVtTq] [-s signal] [-p prefix] [-e filename] [-c filename] [-g directives]

Options:
  -?,-h         : this help
  -v            : show version and exit
  -V            : show version and configure options then exit
  -t            : test configuration and exit
  -T            : test configuration, dump it and exit
  -q            : suppress non-error messages during configuration testing
  -s signal     : send signal to a master process: stop, quit, reopen, reload
  -p prefix     : set prefix path (default: the working directory)
  -e filename   : set error log file (default: logs/error.log)
  -c filename   : set configuration file (default: conf/nginx.conf)
  -g directives : set global directives out of configuration file
`;
