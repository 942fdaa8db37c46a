// `gannet --help`, `gannet COMMAND --help` and `gannet --version`.
import { readFileSync } from 'node:fs';
import { defaultText, SETTINGS } from '../config/settings.ts';
import { COMPLETED } from './completion.ts';

export function versionText(): string {
  const { version }: { version: string } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return `gannet ${version} (node ${process.versions.node})`;
}

/** Two spaces before each command, six before its flags. */
const COMMANDS =
  `  start                                  serve, and open the console in the browser (--no-open: only print its address); also without any command
  serve                                  run the service (REST API on http.host:http.port, data in path.data)
  import FILE.ndjson[.gz] --index NAME   send a file's documents to a running service, with a progress bar
      --url URL            service to send to (http://127.0.0.1:9200)
      --id-field FIELD     take _id from this field of each document
      --user NAME:PASSWORD
      --batch-docs N       documents per request (1000)
      --connections N      requests at once (2)
  search INDEX ['QUERY']                 search a running service, shown as a table; the query is Lucene's syntax, or JSON of the query language
      --fields A,B, --sort FIELD:desc, --size N, --from N
      --table, --json      hits as a table (default); the whole response as JSON
      --url URL, --user NAME:PASSWORD
  index ls [PATTERN..]                   indices of a running service (--json; all of index: --url URL, --user NAME:PASSWORD)
  index create NAME                      --body FILE.json (settings, mappings, aliases; - for standard input), --shards N, --replicas N
  index rm NAME..                        delete indices; asks first, unless --yes
  profile --compare A.json B.json --index NAME   run two searches in turns until the ratio of their times is known
      --seconds N          at most (2; 10 with --against)
      --against URL        B runs on another server, also on Elasticsearch (--against-user, --against-index); B.json may be left out
      --json, --url URL, --user NAME:PASSWORD
  top                                    searches, documents, memory, queues, indices and tasks of a running service, updated live
      --interval SECONDS   time between two updates (1)
      --once               print one report instead
      --url URL, --user NAME:PASSWORD
  completion bash|zsh|fish               print a completion script
  check                                  read a data directory that no service uses, and report what is damaged (path.data)
      --repair             repair what can be repaired, and list the documents that are lost
  analyze [TEXT..]                       ask a running service for the tokens of a text (or of standard input), shown as a table
      --analyzer NAME      standard by default; A,B or all compares the terms of several
      --tokenizer NAME, --filter A,B, --char-filter A,B   a chain instead of an analyzer
      --url URL, --index NAME, --field NAME               the service (http://127.0.0.1:9200); an index, whose analyzers can be named
      --user NAME:PASSWORD
  snapshot [NAME]                        take a snapshot of a running service's indices, with a progress bar
      --repository NAME    registered repository (backup)
      --location FOLDER    register this folder, inside path.repo of the service, if there is no such repository
      --indices A,B        all indices by default
      --keep N             then delete all but the newest N that this command made
      --partial            also if a shard is damaged
      --url URL, --user NAME:PASSWORD
      --path.data FOLDER   of a stopped service instead (also --path.repo, --path.config, --config)
  restore [NAME]                         restore a snapshot, the last complete one by default
      --repository, --location, --indices, --url, --user, --path.data, --path.repo, --path.config, --config  as for gannet snapshot
      --rename PATTERN=REPLACEMENT         restore under other names: '(.+)=restored-$1'
      --close              close existing indices first, which are then replaced
      --global-state       also templates, pipelines, scripts, cluster settings
  front -c FILE                          web server and reverse proxy, configured as nginx is
  front init --KIND [FILE]               write a commented configuration: --static, --proxy, --search, --tcp or --mail
  front top [URL]                        connections, requests, upstreams, caches and zones of a running front, from its api
  front check -c FILE                    explain the errors of a front's configuration, and list directives without effect
      --json               as JSON
  demo                                   serve, import 135,000 cities, show requests with their responses (--exit: then stop)
  password                               read a password, print its hash for security.users
  user add NAME --roles A,B              add a user to the configuration file; the password is asked for, or read from standard input
      --full-name TEXT, --email TEXT
  user passwd NAME | del NAME            change a password, remove a user
  user roles NAME [--add A] [--remove B] show or change the roles of a user
  user list [NAME]                       users and their roles (all of user: --config FILE or --path.config FOLDER)`.split('\n');

/** Every command, a line each. */
export function helpText(): string {
  const commands = COMMANDS.filter((line) => /^ {2}\S/.test(line));
  return `usage: gannet COMMAND [FLAGS]

${commands.join('\n')}
  --version                              print the version

gannet COMMAND --help shows the flags of a command, gannet serve --help all settings.
`;
}

/** A command with its flags; for the commands that take them, also the settings. */
export function commandHelp(command: string): string {
  const start = COMMANDS.findIndex((line) => line.startsWith(`  ${command} `));
  const lines = COMMANDS.slice(start);
  const end = lines.findIndex((line) => /^ {2}\S/.test(line) && !line.startsWith(`  ${command} `));
  return `${lines.slice(0, end === -1 ? lines.length : end).join('\n')}\n${COMPLETED[command].takesSettings ? settingsHelp() : ''}`;
}

function settingsHelp(): string {
  const lines = Object.entries(SETTINGS).map(([name, spec]) => `  ${name.padEnd(30)} ${spec.about} [${defaultText(spec)}]\n`);
  return `
settings: in gannet.yml of path.config (or --config FILE), in the environment (http.port or GANNET_HTTP_PORT), as flags (--http.port=9200)
${lines.join('')}`;
}
