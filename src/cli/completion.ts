// `gannet completion bash|zsh|fish`: scripts that complete commands, their subcommands and flags. They are generated from the table below
// and the settings, and start no process while a user types.
import { SETTINGS } from '../config/settings.ts';
import { UsageError } from './arguments.ts';

interface Completed {
  readonly about: string;
  /** words that may follow the command */
  readonly words?: readonly string[];
  /** without dashes */
  readonly flags?: readonly string[];
  /** the command takes every setting as a flag */
  readonly takesSettings?: boolean;
}

const SERVICE = ['url', 'user'];
const REPOSITORY = ['repository', 'location', 'indices', ...SERVICE, 'path.data', 'path.repo', 'path.config', 'config'];

/** Every command of `gannet`. */
export const COMPLETED: Readonly<Record<string, Completed>> = {
  serve: { about: 'run the service', takesSettings: true, flags: ['config'] },
  import: { about: "send a file's documents to a service", flags: ['index', 'id-field', 'batch-docs', 'connections', ...SERVICE] },
  search: { about: 'search an index', flags: ['size', 'from', 'fields', 'sort', 'json', 'table', ...SERVICE] },
  index: {
    about: 'list, create and delete indices',
    words: ['ls', 'create', 'rm'],
    flags: ['json', 'body', 'shards', 'replicas', 'yes', ...SERVICE],
  },
  profile: {
    about: 'compare two searches',
    flags: ['compare', 'index', 'seconds', 'against', 'against-user', 'against-index', 'json', ...SERVICE],
  },
  top: { about: 'live figures of a service', flags: ['interval', 'once', ...SERVICE] },
  check: { about: 'read a data directory and report damage', flags: ['repair'], takesSettings: true },
  analyze: { about: 'tokens of a text', flags: ['analyzer', 'tokenizer', 'filter', 'char-filter', 'index', 'field', ...SERVICE] },
  snapshot: { about: 'take a snapshot', flags: ['keep', 'partial', ...REPOSITORY] },
  restore: { about: 'restore a snapshot', flags: ['rename', 'close', 'global-state', ...REPOSITORY] },
  front: {
    about: 'web server and reverse proxy',
    words: ['init', 'check', 'top'],
    flags: ['json', 'static', 'proxy', 'search', 'tcp', 'mail'],
  },
  start: { about: 'serve, and open the console', flags: ['no-open'], takesSettings: true },
  demo: { about: 'serve a sample', flags: ['exit'], takesSettings: true },
  password: { about: 'hash a password' },
  user: {
    about: 'users of the configuration file',
    words: ['add', 'passwd', 'del', 'roles', 'list'],
    flags: ['roles', 'full-name', 'email', 'add', 'remove', 'config', 'path.config'],
  },
  completion: { about: 'completion script of a shell', words: ['bash', 'zsh', 'fish'] },
};

const SCRIPTS: Readonly<Record<string, () => string>> = { bash: bashScript, zsh: zshScript, fish: fishScript };

const USE = `usage: gannet completion bash|zsh|fish
  bash  gannet completion bash > ~/.local/share/bash-completion/completions/gannet
  zsh   gannet completion zsh > "\${fpath[1]}/_gannet"
  fish  gannet completion fish > ~/.config/fish/completions/gannet.fish
`;

export async function completionCommand(argv: string[]): Promise<number> {
  const [shell] = argv;
  if (shell === undefined) {
    process.stdout.write(USE);
    return 2;
  }
  if (!Object.hasOwn(SCRIPTS, shell) || argv.length > 1) throw new UsageError(`completion takes one of ${Object.keys(SCRIPTS).join(', ')}`);
  process.stdout.write(SCRIPTS[shell]());
  return 0;
}

const flagsOf = ({ flags = [], takesSettings }: Completed): string[] =>
  [...flags, ...(takesSettings ? Object.keys(SETTINGS) : [])].map((name) => `--${name}`);

function bashScript(): string {
  const cases = Object.entries(COMPLETED).map(
    ([name, command]) => `    ${name})\n      words='${(command.words ?? []).join(' ')}'\n      flags='${flagsOf(command).join(' ')}' ;;`,
  );
  return `# bash completion of gannet
_gannet() {
  local words flags current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${Object.keys(COMPLETED).join(' ')} --help --version' -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) return ;;
  esac
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$flags --help" -- "$current"))
  elif [ "$COMP_CWORD" -eq 2 ] && [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -o default -o bashdefault -F _gannet gannet
`;
}

/** Single quotes end the string of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function zshScript(): string {
  const commands = Object.entries(COMPLETED).map(([name, { about }]) => `    ${quoted(`${name}:${about}`)}`);
  const cases = Object.entries(COMPLETED).map(
    ([name, command]) => `    ${name}) verbs=(${(command.words ?? []).join(' ')}); flags=(${flagsOf(command).join(' ')}) ;;`,
  );
  return `#compdef gannet
# zsh completion of gannet
_gannet() {
  local -a commands verbs flags
  commands=(
${commands.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  case "$words[2]" in
${cases.join('\n')}
  esac
  if [[ "$PREFIX" == -* ]]; then
    compadd -- $flags --help
  elif (( CURRENT == 3 && $#verbs > 0 )); then
    compadd -- $verbs
  else
    _files
  fi
}
compdef _gannet gannet 2>/dev/null || _gannet "$@"
`;
}

function fishScript(): string {
  const lines = ['# fish completion of gannet'];
  for (const [name, command] of Object.entries(COMPLETED)) {
    lines.push(`complete -c gannet -n __fish_use_subcommand -f -a ${name} -d ${quoted(command.about)}`);
    const words = command.words ?? [];
    const isFirst = `'__fish_seen_subcommand_from ${name}; and test (count (commandline -opc)) -eq 2'`;
    if (words.length > 0) lines.push(`complete -c gannet -n ${isFirst} -f -a ${quoted(words.join(' '))}`);
    for (const flag of flagsOf(command)) lines.push(`complete -c gannet -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}`);
  }
  return `${lines.join('\n')}\n`;
}
