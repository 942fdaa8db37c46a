// acme_issuer, acme_certificate: certificates that are ordered and renewed at an ACME server (RFC 8555), with http-01 challenges.
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { present } from '../../../../common/present.ts';
import { ANY_COUNT, block, custom, HTTP, SERVER } from '../../../config/directive.ts';
import { type DirectiveNode, failAt } from '../../../config/syntax.ts';
import { parseSize } from '../../../config/values.ts';
import { logTo } from '../../../log/error-log.ts';
import { loop } from '../../../zone/memory.ts';
import { type CertificateConf, challengeAnswer, Issuer } from '../../acme/certificates.ts';
import { type KeyType, parseKeyType } from '../../acme/keys.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import type { FetchConf } from '../../js/fetch.ts';
import { lookupBy } from '../../js/fetch-conf.ts';
import { SharedDict } from '../../js/shared-dict.ts';
import type { HttpMain, Request } from '../../model/types.ts';
import { sendText } from '../../phases/send.ts';
import { DECLINED, DONE, ERROR, OK } from '../../request/codes.ts';

interface Use {
  readonly issuer: string;
  /** null until the names of the server are known */
  certificate: CertificateConf | null;
}

const CHALLENGE_PATH = '/.well-known/acme-challenge/';
const ZONE_KEY = 'acme:zone';
const DEFAULT_ZONE = 'ngx_acme_shared:256k';
const MIN_ZONE_BYTES = 32 * 1024;
const TIMEOUT_MS = 60_000;
const MAX_ANSWER_BYTES = 1 << 20;

export const acmeModule = defineModule(
  'acme',
  {
    acme_issuer: block<undefined>(HTTP, 1, undefined, parseIssuer),
    acme_shared_zone: custom<undefined>(HTTP, 1, undefined, parseZone, { defaultText: `zone=${DEFAULT_ZONE}` }),
    acme_certificate: custom<Use | null>(SERVER, [1, ANY_COUNT], null, parseCertificate),
  },
  {
    init(main) {
      if (issuersOf(main).size > 0) main.phases.postRead.unshift(answerChallenge);
    },
    start(main) {
      if (loop.index !== 0) return;
      for (const issuer of issuersOf(main).values()) {
        issuer.start((level, message) => logTo(main.loc.errorLogs, level, message));
      }
    },
    variables: [
      { name: 'acme_certificate', volatile: true, get: (r) => pemOf(r, 'chain') },
      { name: 'acme_certificate_key', volatile: true, get: (r) => pemOf(r, 'key') },
    ],
  },
);

const issuersOf = (main: HttpMain): Map<string, Issuer> => {
  let map = main.registry.get('acme:issuers') as Map<string, Issuer> | undefined;
  if (!map) main.registry.set('acme:issuers', (map = new Map()));
  return map;
};

// ---------------------------------------------------------------- the zone

function zoneOf(main: HttpMain): SharedDict {
  return (main.registry.get(ZONE_KEY) as SharedDict | undefined) ?? createZone(main, ...splitZone(DEFAULT_ZONE));
}

const splitZone = (text: string): [name: string, capacity: number] => {
  const colon = text.lastIndexOf(':');
  return [text.slice(0, colon), parseSize(text.slice(colon + 1)) ?? -1];
};

function createZone(main: HttpMain, name: string, capacity: number): SharedDict {
  const zone = new SharedDict({ name, capacity, timeoutMs: 0, type: 'string', evict: false, state: '', memory: `acme:${name}` });
  const before = main.inherited.get(ZONE_KEY);
  if (before) zone.importState(before);
  main.registry.set(ZONE_KEY, zone);
  return zone;
}

function parseZone(f: HttpFrame): undefined {
  const [word] = f.args;
  const { main } = f.scope;
  const [name, capacity] = splitZone(word.slice('zone='.length));
  if (!word.startsWith('zone=') || name === '' || capacity < 0) f.fail(`invalid zone size "${word}"`);
  if (capacity < MIN_ZONE_BYTES) f.fail(`zone "${word}" is too small`);
  if (main.registry.has(ZONE_KEY)) f.refuse('is duplicate');
  createZone(main, name, capacity);
  return undefined;
}

// ---------------------------------------------------------------- issuers and certificates

const DIRECTIVES: Readonly<Record<string, readonly [min: number, max: number]>> = {
  uri: [1, 1],
  account_key: [1, 1],
  challenge: [1, 1],
  contact: [1, ANY_COUNT],
  external_account_key: [2, 2],
  preferred_chain: [1, 1],
  profile: [1, 2],
  common_name_in_csr: [0, 1],
  ssl_trusted_certificate: [1, 1],
  ssl_verify: [1, 1],
  state_path: [1, 1],
  accept_terms_of_service: [0, 0],
};

function readBlock(f: HttpFrame): Map<string, DirectiveNode> {
  const found = new Map<string, DirectiveNode>();
  for (const node of present(f.node.children)) {
    const counts = DIRECTIVES[node.name] ?? failAt(node, `unknown directive "${node.name}"`);
    if (found.has(node.name)) failAt(node, `"${node.name}" directive is duplicate`);
    if (node.args.length < counts[0] || node.args.length > counts[1])
      failAt(node, `invalid number of arguments in "${node.name}" directive`);
    found.set(node.name, node);
  }
  return found;
}

function parseIssuer(f: HttpFrame): undefined {
  const [name] = f.args;
  const { main, loc } = f.scope;
  const nodes = readBlock(f);
  const argument = (key: string, fallback = ''): string => nodes.get(key)?.args[0] ?? fallback;
  const file = (key: string): Buffer | null => (nodes.has(key) ? readFile(f, f.scope.path(argument(key), 'conf')) : null);
  const isOn = (key: string, fallback: string): boolean => {
    const value = argument(key, fallback);
    return value === 'on' || (value === 'off' ? false : f.fail(`invalid value "${value}" in "${key}" directive, it must be "on" or "off"`));
  };
  const directory = argument('uri');
  if (!/^https:\/\/[^/]/.test(directory)) f.fail(`"uri" of acme_issuer "${name}" must be an https URL`);
  if (!/^http(?:-01)?$/.test(argument('challenge', 'http-01'))) {
    f.fail(`challenge "${argument('challenge')}" is not supported, only "http-01" is`);
  }
  const external = nodes.get('external_account_key')?.args;
  const conf = {
    ...{ name, directory, profile: argument('profile'), preferredChain: argument('preferred_chain') },
    contacts: (nodes.get('contact')?.args ?? []).map((text) => (/^[a-z]+:/.test(text) ? text : `mailto:${text}`)),
    acceptsTerms: nodes.has('accept_terms_of_service'),
    externalKey: external ? { kid: external[0], macKey: macKeyOf(f, external[1]) } : null,
    commonName: nodes.has('common_name_in_csr') && isOn('common_name_in_csr', 'on'),
  };
  const ca = file('ssl_trusted_certificate');
  const verify = isOn('ssl_verify', 'on');
  const fetchConf = (): FetchConf => ({
    ...{ timeoutMs: TIMEOUT_MS, maxResponseBytes: MAX_ANSWER_BYTES, verify, verifyDepth: 100, ca, crl: null, versions: {}, proxy: '' },
    ...{ ciphers: 'HIGH:!aNULL:!MD5', keepalive: 1, keepaliveTimeoutMs: TIMEOUT_MS, lookup: lookupBy(main.namesAt(loc)) },
  });
  const statePath = argument('state_path', `acme_${name}`) === 'off' ? null : f.scope.path(argument('state_path', `acme_${name}`));
  if (statePath !== null) main.folders.add(statePath);
  const issuers = issuersOf(main);
  if (issuers.has(name)) f.fail(`duplicate acme_issuer "${name}"`);
  issuers.set(name, new Issuer(conf, accountKey(f, argument('account_key', 'ecdsa:256')), statePath, fetchConf, () => zoneOf(main)));
  // Its memory is created in every event loop while the configuration is read.
  f.scope.later(() => void zoneOf(main));
  return undefined;
}

function readFile(f: HttpFrame, name: string): Buffer {
  try {
    return readFileSync(name);
  } catch (error) {
    return f.fail(`cannot load "${name}": ${(error as Error).message}`);
  }
}

function macKeyOf(f: HttpFrame, source: string): Buffer {
  const text = source.startsWith('data:')
    ? source.slice('data:'.length)
    : readFile(f, f.scope.path(source, 'conf')).toString('latin1').trim();
  return /^[A-Za-z0-9_-]+$/.test(text) ? Buffer.from(text, 'base64url') : f.fail('the external account key is not base64url');
}

function accountKey(f: HttpFrame, text: string): KeyType | KeyObject {
  const type = parseKeyType(text);
  if (type) return type;
  const name = f.scope.path(text, 'conf');
  try {
    return createPrivateKey(readFileSync(name));
  } catch (error) {
    return f.fail(`cannot load account key "${name}": ${(error as Error).message}`);
  }
}

function parseCertificate(f: HttpFrame): Use {
  const [issuer, ...words] = f.args;
  const { main, server } = f.scope;
  const option = words.find((word) => word.startsWith('key='));
  const keyType = parseKeyType(option?.slice('key='.length) ?? 'ecdsa:256') ?? f.invalid(option);
  const given = words.filter((word) => word !== option);
  const use: Use = { issuer, certificate: null };
  f.scope.later(() => {
    const names = given.length > 0 ? given : present(server).names.map(({ text }) => text.replace(/^\./, ''));
    if (names.length === 0 || names[0] === '') f.fail('"acme_certificate" needs identifiers or a "server_name"');
    for (const name of names) {
      if (isIP(name) === 0 && !/^(?=.{1,253}$)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*$/i.test(name)) f.fail(`invalid identifier "${name}"`);
    }
    const found = issuersOf(main).get(issuer) ?? f.fail(`acme issuer "${issuer}" is not found`);
    use.certificate = { identifiers: [...new Set(names.map((name) => name.toLowerCase()))], keyType };
    found.certificates.push(use.certificate);
  });
  return use;
}

function pemOf(r: Request, part: 'chain' | 'key'): string | null {
  const use = acmeModule.conf(r.server.root).acme_certificate;
  const pem = use?.certificate
    ? (issuersOf(r.http ?? r.block)
        .get(use.issuer)
        ?.pem(use.certificate, part) ?? null)
    : null;
  return pem && `data:${pem}`;
}

// ---------------------------------------------------------------- challenges

function answerChallenge(r: Request): number {
  if (!r.uri.startsWith(CHALLENGE_PATH)) return DECLINED;
  const answer = challengeAnswer(zoneOf(r.http), r.uri.slice(CHALLENGE_PATH.length));
  if (answer === null) return DECLINED;
  const discarded = r.conn.discardBody(r);
  if (discarded !== OK) return discarded;
  r.out.status = 200;
  r.out.contentType = 'text/plain';
  const rc = sendText(r, answer);
  r.finalize(rc === ERROR ? ERROR : OK);
  return DONE;
}
