// Hints about errors of a configuration: what is probably meant, and what would be right.
import { nearestNames } from '../../common/text/nearest-name.ts';
import type { DirectiveNode } from '../config/syntax.ts';
import type { Directive } from './directive-index.ts';

export interface HintContext {
  readonly directives: readonly Directive[];
  /** names of the variables of all modules */
  readonly variables: readonly string[];
  /** the directive with the error, null if its location is unknown */
  readonly node: DirectiveNode | null;
}

type Hint = (match: RegExpExecArray, context: HintContext) => string | null;

const SIZE_FORM = 'a size is a number of bytes with k or m: 8k, 10m';
const TIME_FORM = 'a time is a number with ms, s, m, h or d: 500ms, 30s, 1h';

/** `http, server, location`; with the block in parentheses if several blocks have the name. */
function placesOf(name: string, directives: readonly Directive[]): string {
  const found = directives.filter((directive) => directive.name === name);
  const texts = found.map(
    ({ block, contexts }) => contexts.join(', ') + (found.length > 1 && !contexts.includes(block) ? ` (of ${block})` : ''),
  );
  return [...new Set(texts)].join('; or in ');
}

/** `NAME` with as many arguments as the directive takes. */
function usage({ name, min, max, hasBlock }: Directive): string {
  const words = [...Array(min).fill('VALUE'), ...(max === null ? ['...'] : Array(Math.min(max - min, 3)).fill('[VALUE]'))];
  return [name, ...words].join(' ') + (hasBlock ? ' { ... }' : ';');
}

function unknownDirective([, name]: RegExpExecArray, { directives }: HintContext): string | null {
  if (/^[a-z0-9_]+=/.test(name)) return 'a parameter appears on its own: does a ";" before it end the directive too early?';
  if (name.includes(':')) return 'a URL or path appears where a directive is expected: is there a ";" before it?';
  const [near] = nearestNames(name, new Set(directives.map((directive) => directive.name)));
  if (near === undefined) return 'no module of this server has it; see docs/reference/front-directives.md';
  return `did you mean "${near}"? It belongs in ${placesOf(near, directives)}`;
}

/** A directive among the arguments of another one: the `;` between them is missing. */
function swallowed({ directives, node }: HintContext): string | null {
  const names = new Set(directives.map((directive) => directive.name));
  const word =
    node?.args.slice(1).find((arg) => arg.includes('_') && names.has(arg)) ?? node?.args.slice(1).find((arg) => STATEMENTS.has(arg));
  return word === undefined ? null : `"${word}" is a directive: a ";" is missing before it`;
}
const STATEMENTS = new Set([
  'root',
  'index',
  'server',
  'location',
  'listen',
  'return',
  'rewrite',
  'set',
  'include',
  'allow',
  'deny',
  'expires',
  'internal',
  'alias',
]);

function argumentCount([, name]: RegExpExecArray, context: HintContext): string | null {
  const found = context.directives.find((directive) => directive.name === name);
  return swallowed(context) ?? (found ? `the syntax is: ${usage(found)}` : null);
}

function invalidValue([, name]: RegExpExecArray, context: HintContext): string | null {
  const missing = swallowed(context);
  if (missing) return missing;
  const found = context.directives.find((directive) => directive.name === name);
  const example = found?.defaultText ? `; the default is ${name} ${found.defaultText};` : '';
  if (/size|length|buffer/.test(name)) return SIZE_FORM + example;
  if (/timeout|time|interval|expires|valid|delay/.test(name)) return TIME_FORM + example;
  return example === '' ? null : example.slice(2);
}

function unknownVariable([, name]: RegExpExecArray, { variables }: HintContext): string {
  if (variables.includes(name)) return `$${name} exists in another block only: http and stream have variables of their own`;
  const [near] = nearestNames(name, variables);
  const meant = near === undefined ? '' : `did you mean $${near}? `;
  return `${meant}Variables of your own are defined by set, map, geo or a named group of a regular expression`;
}

/** Hints by pattern of the error message, most specific first. */
const HINTS: [message: RegExp, hint: Hint][] = [
  [/^unknown directive "(.*?)"/s, unknownDirective],
  [
    /^"(.*?)" directive is not allowed here/s,
    ([, name], { directives }) => {
      const places = placesOf(name, directives);
      return places === '' ? null : `it belongs in ${places}`;
    },
  ],
  [/^directive "(.*?)" has no opening "\{"/s, ([, name]) => `it opens a block: ${name} ... { ... }`],
  [
    /^directive "(.*?)" is not terminated by ";"/s,
    ([, name]) => `end it with ";", unless a ";" is missing in a line above: ${name} takes no block`,
  ],
  [/^invalid number of arguments in "(.*?)" directive/s, argumentCount],
  [/it must be "on" or "off"/, (_, context) => swallowed(context) ?? 'write on or off'],
  [/^"(\w+)" directive invalid (?:value|number)/, invalidValue],
  [/^"(\w+)" directive is duplicate/, ([, name]) => `"${name}" was given before on the same level: remove one of them`],
  [/^duplicate location "(.*)"/s, () => 'merge the two blocks: a server has one location of each name'],
  [/^unexpected end of file, expecting "}"/, () => 'a block is not closed: count the "{" and "}" above'],
  [/^unexpected end of file, expecting ";" or "}"/, () => 'the last directive has no ";", or a quote is not closed'],
  [/^unexpected "}"/, () => 'there is one "}" too many, or a ";" is missing before it'],
  [/^unexpected "(.*)"/s, () => 'after a quoted string comes a space, ";" or "{"; a quote inside of quotes is written \\"'],
  [/^unknown "(.*)" variable/s, unknownVariable],
  [/^unknown log format "(.*)"/s, ([, name]) => `define it before its use, in http: log_format ${name} '...';`],
  [
    /^zero size shared memory zone "(.*)"/s,
    ([, name]) =>
      `the zone is used, but nothing defines it: in http, for example limit_req_zone $binary_remote_addr zone=${name}:10m rate=10r/s; limit_conn_zone or proxy_cache_path ... keys_zone=${name}:10m`,
  ],
  [
    /^host not found in upstream "(.*)"/s,
    () =>
      'the name is looked up at startup: check it, use an address, or put it into a variable and set a resolver to look it up for each request',
  ],
  [/^duplicate upstream/, () => 'two upstream blocks have this name: rename one of them'],
  [/^no "events" section/, () => 'add: events { }'],
  [/^no "ssl_certificate"/, () => 'a "listen ... ssl" needs ssl_certificate FILE; and ssl_certificate_key FILE; in its server or in http'],
  [
    /^cannot load certificate key/,
    () => 'the file must be a private key in PEM form that the front may read, and belong to the certificate',
  ],
  [
    /^cannot load certificate/,
    () => 'the file must be a certificate in PEM form that the front may read: check the path and its permissions',
  ],
  [
    /"proxy_pass" cannot have URI part in location given by regular expression/,
    () => 'remove the path of the URL (proxy_pass http://host;), or write it with variables: proxy_pass http://host$uri;',
  ],
  [/^invalid URL prefix/, () => 'the URL starts with http://, https:// or grpc://, or names an upstream after it: proxy_pass http://NAME;'],
  [
    /^location ".*" is outside location "(.*)"/s,
    ([, outer]) => `the name of a nested location starts with that of the outer one, "${outer}"`,
  ],
  [/^invalid port/, () => 'a port is a number from 1 to 65535'],
  [/is not built in, and modules cannot be loaded from files/, () => 'remove this load_module and the directives of its module'],
  [
    /^".*?": (.*) is not supported by this server/s,
    () => 'remove it, or keep nginx for this part; docs/front/differences.md lists what is refused',
  ],
  [
    /^open\(\) "(.*)" failed \(2:/s,
    () => 'the file does not exist; relative names of include start at the folder of the main file, others at the prefix (-p)',
  ],
  [/^open\(\) "(.*)" failed \(13:/s, () => 'this user may not read the file: check its owner and mode, or run as the user of the service'],
  [/^bind\(\) to .* failed \(98/s, () => 'two blocks listen on this address: http, stream and mail need different ports'],
  [/^a duplicate default server for/, () => 'only one server of an address has default_server'],
  [/^a duplicate listen/, () => 'remove one of the two listen directives, or give the servers different names'],
  [/worker_connections are not enough/, () => 'raise worker_connections in events'],
  [
    /^invalid parameter "(.*)"/s,
    (_, context) => swallowed(context) ?? 'check its spelling: parameters are written name=value without spaces',
  ],
  [/^zone ".*" is too small/s, () => 'a zone has at least eight pages: 32k'],
  [/^invalid (?:keys )?zone size/, () => 'a zone is written NAME:SIZE: zone=clients:10m'],
  [/^invalid rate/, () => 'a rate is a number of requests per second or minute: rate=10r/s, rate=30r/m'],
  [/^invalid "expires" parameter/, () => `${TIME_FORM}; or epoch, max, off, @15h30m`],
  [
    /^invalid condition/,
    () =>
      'a condition is in parentheses: if ($variable), if ($variable = text), if ($variable ~ regex), if (-f $request_filename); there is no "and" or "or": combine values with map',
  ],
  [/^unexpected ".*" in condition/s, () => 'an if compares with =, !=, ~, ~*, !~ or !~*'],
  [/^invalid variable name/, () => 'the name of a variable starts with $'],
  [/^invalid location modifier/, () => 'a location is written: location [= | ^~ | ~ | ~*] NAME { ... }'],
  [/^invalid return code/, () => 'return takes a status (return 404;), with a text or URL (return 301 URL;), or a URL alone'],
  [/^no port in upstream/, () => 'write the port: server 10.0.0.1:5432;'],
  [/^host not found/, () => 'the name does not resolve: check it, or use an address'],
  [/^pcre2?_compile\(\) failed/, () => 'the regular expression is invalid; one that contains "{", "}" or ";" must be quoted'],
  [/^keyval zone ".*" is not defined/s, () => 'define it in http: keyval_zone zone=NAME:1m;'],
  [/^match ".*" is not found/s, ([, name]) => `define it: match ${name ?? 'NAME'} { ... }`],
  [/^invalid value/, (_, context) => swallowed(context)],
];

/** @param message  without the place at its end. @returns null if there is nothing helpful to say */
export function hintFor(message: string, context: HintContext): string | null {
  for (const [pattern, hint] of HINTS) {
    const match = pattern.exec(message);
    if (match) return hint(match, context);
  }
  return null;
}
