/** The processors geoip, user_agent, registered_domain and reroute through the REST API. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mmdb } from '../../../support/mmdb.ts';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

const CHROME = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_10_5) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/51.0.2704.103 Safari/537.36';

let node: RestNode;
const config = mkdtempSync(path.join(os.tmpdir(), 'gannet-config-'));

beforeAll(async () => {
  mkdirSync(path.join(config, 'ingest-geoip'));
  mkdirSync(path.join(config, 'ingest-user-agent'));
  const place = {
    continent: { code: 'EU', names: { en: 'Europe' } },
    country: { iso_code: 'SE', names: { en: 'Sweden' } },
    subdivisions: [{ iso_code: 'E', names: { en: 'Östergötland County' } }],
    city: { names: { en: 'Linköping' } },
    location: { latitude: 58.4167, longitude: 15.6167, time_zone: 'Europe/Stockholm' },
  };
  writeFileSync(path.join(config, 'ingest-geoip/GeoLite2-City.mmdb'), mmdb('GeoLite2-City', { '89.160.0.0/16': place }));
  const provider = { autonomous_system_number: 1221, autonomous_system_organization: 'Telstra Pty Ltd' };
  writeFileSync(path.join(config, 'ingest-geoip/asn.mmdb'), mmdb('GeoLite2-ASN', { '1.128.0.0/11': provider }));
  writeFileSync(path.join(config, 'ingest-geoip/text.mmdb'), 'not a database');
  writeFileSync(path.join(config, 'ingest-user-agent/own.yml'), "user_agent_parsers:\n  - regex: '^(Own)/(\\d+)\\.(\\d+)'\n");
  writeFileSync(path.join(config, 'ingest-user-agent/bad.yml'), 'user_agent_parsers:\n  - [1, 2]\n');
  node = await openRestNode({ 'path.config': config });
});

afterAll(async () => {
  await node.close();
  rmSync(config, { recursive: true });
});

/** The source after the processor, or the reason of its failure. */
async function simulate(processor: object, source: object): Promise<any> {
  const { docs } = await node.ok('POST /_ingest/pipeline/_simulate', {
    pipeline: { processors: [processor] },
    docs: [{ _source: source }],
  });
  return docs[0].error?.reason ?? docs[0].doc._source;
}

async function refusal(processor: object): Promise<string> {
  const { status, json } = await node.send('PUT /_ingest/pipeline/refused', { processors: [processor] });
  expect(status).toBe(400);
  return json.error.reason;
}

test('geoip adds the default properties of the type of database', async () => {
  expect((await simulate({ geoip: { field: 'ip' } }, { ip: '89.160.20.112' })).geoip).toEqual({
    continent_name: 'Europe',
    country_name: 'Sweden',
    country_iso_code: 'SE',
    region_iso_code: 'SE-E',
    region_name: 'Östergötland County',
    city_name: 'Linköping',
    location: { lat: 58.4167, lon: 15.6167 },
  });
  expect((await simulate({ geoip: { field: 'ip', database_file: 'asn.mmdb', target_field: 'as' } }, { ip: '1.128.3.4' })).as).toEqual({
    ip: '1.128.3.4',
    asn: 1221,
    organization_name: 'Telstra Pty Ltd',
    network: '1.128.0.0/11',
  });
});

test('geoip reads lists, skips unknown addresses and reports invalid ones', async () => {
  const some = { geoip: { field: 'ip', properties: ['IP', 'timezone'] } };
  const list = { ip: ['10.0.0.1', '89.160.0.1', '89.160.0.2'] };
  expect((await simulate(some, list)).geoip).toEqual({ ip: '89.160.0.1', timezone: 'Europe/Stockholm' });
  const all = { geoip: { ...some.geoip, first_only: false } };
  expect((await simulate(all, list)).geoip.map((facts: { ip: string } | null) => facts?.ip ?? null)).toEqual([
    null,
    '89.160.0.1',
    '89.160.0.2',
  ]);
  expect(await simulate(some, { ip: '10.0.0.1' })).toEqual({ ip: '10.0.0.1' });
  expect(await simulate(some, { ip: 'nowhere' })).toBe("'nowhere' is not an IP string literal.");
  expect(await simulate(some, { ip: 1 })).toBe('field [ip] should contain only string or array of strings');
  expect(await simulate(some, { ip: null })).toBe('field [ip] is null, cannot extract geoip information.');
  expect(await simulate({ geoip: { field: 'ip', ignore_missing: true } }, { a: 1 })).toEqual({ a: 1 });
});

test('geoip tags documents while its database is missing, and refuses unreadable ones', async () => {
  expect(await simulate({ geoip: { field: 'ip', database_file: 'none.mmdb' } }, { ip: '1.2.3.4' })).toEqual({
    ip: '1.2.3.4',
    tags: ['_geoip_database_unavailable_none.mmdb'],
  });
  expect(await refusal({ geoip: { field: 'ip', properties: ['asn'] } })).toContain(
    '[properties] illegal property value [asn]. valid values are [IP, ',
  );
  expect(await refusal({ geoip: { field: 'ip', database_file: '../x.mmdb' } })).toContain('must be the name of a .mmdb file');
  expect(await refusal({ geoip: { field: 'ip', database_file: 'text.mmdb' } })).toContain('[text.mmdb] is not a database');
  const { stats, nodes } = await node.ok('GET /_ingest/geoip/stats');
  expect(stats.databases_count).toBe(0);
  expect(Object.values(nodes)).toEqual([{ config_databases: ['GeoLite2-City.mmdb', 'asn.mmdb', 'text.mmdb'] }]);
});

test('user_agent recognises program, system and device', async () => {
  expect((await simulate({ user_agent: { field: 'a' } }, { a: CHROME })).user_agent).toEqual({
    original: CHROME,
    name: 'Chrome',
    version: '51.0.2704.103',
    os: { name: 'Mac OS X', version: '10.10.5', full: 'Mac OS X 10.10.5' },
    device: { name: 'Mac' },
  });
  const typed = { user_agent: { field: 'a', properties: ['device'], extract_device_type: true } };
  const types = [
    [CHROME, 'Desktop'],
    ['Mozilla/5.0 (Linux; Android 10; SM-G960F) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/91.0.4472.120 Mobile Safari/537.36', 'Phone'],
    ['Mozilla/5.0 (iPad; CPU OS 12_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148', 'Tablet'],
    ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'Robot'],
    ['something else', 'Other'],
  ];
  for (const [header, type] of types) expect((await simulate(typed, { a: header })).user_agent.device.type).toBe(type);
  expect((await simulate({ user_agent: { field: 'a', properties: ['name'] } }, { a: 'x'.repeat(100_000) })).user_agent).toEqual({
    name: 'Other',
  });
  expect(await simulate({ user_agent: { field: 'a' } }, { a: null })).toBe('field [a] is null, cannot parse user-agent.');
});

test('user_agent reads rules of the operator', async () => {
  const own = { field: 'a', regex_file: 'own.yml', properties: ['name', 'version'] };
  expect((await simulate({ user_agent: own }, { a: 'Own/3.4 rest' })).user_agent).toEqual({ name: 'Own', version: '3.4' });
  expect((await simulate({ user_agent: own }, { a: CHROME })).user_agent).toEqual({ name: 'Other' });
  expect(await simulate({ user_agent: { ...own, regex_file: 'bad.yml' } }, { a: 'x' })).toContain('[bad.yml] line 2 is not a rule');
  expect(await refusal({ user_agent: { field: 'a', regex_file: 'none.yml' } })).toContain("regex file [none.yml] doesn't exist");
  expect(await refusal({ user_agent: { field: 'a', properties: ['size'] } })).toContain('illegal property value [size]');
});

test('registered_domain splits host names by public suffix', async () => {
  const split = { registered_domain: { field: 'fqdn', target_field: 'url' } };
  expect((await simulate(split, { fqdn: 'www.example.ac.uk' })).url).toEqual({
    domain: 'www.example.ac.uk',
    registered_domain: 'example.ac.uk',
    top_level_domain: 'ac.uk',
    subdomain: 'www',
  });
  expect((await simulate(split, { fqdn: '1.www.global.ssl.fastly.net' })).url.registered_domain).toBe('www.global.ssl.fastly.net');
  expect(await simulate({ registered_domain: { field: 'fqdn' } }, { fqdn: 'google.com' })).toEqual({
    fqdn: 'google.com',
    domain: 'google.com',
    registered_domain: 'google.com',
    top_level_domain: 'com',
  });
  expect(await simulate(split, { fqdn: 'com' })).toEqual({ fqdn: 'com' });
  const strict = { registered_domain: { field: 'fqdn', ignore_missing: false } };
  expect(await simulate(strict, { fqdn: '$' })).toBe('unable to set domain information for document');
});

test('reroute sends documents to another data stream and runs its pipelines', async () => {
  await node.ok('PUT /_ingest/pipeline/split', {
    processors: [{ reroute: { dataset: ['{{service.name}}', 'generic'] } }, { fail: { message: 'skipped' } }],
  });
  await node.ok('PUT /_ingest/pipeline/own', { processors: [{ set: { field: 'seen', value: true } }] });
  await node.ok('PUT /_index_template/logs', { index_patterns: ['logs-in-*'], template: { settings: { default_pipeline: 'split' } } });
  await node.ok('PUT /_index_template/own', { index_patterns: ['logs-my_app-*'], template: { settings: { default_pipeline: 'own' } } });
  const first = await node.ok('POST /logs-in-prod/_doc/1?refresh=true', { service: { name: 'My-App' } });
  expect(first._index).toBe('logs-my_app-prod');
  expect(await node.ok('GET /logs-my_app-prod/_source/1')).toEqual({
    service: { name: 'My-App' },
    data_stream: { type: 'logs', dataset: 'my_app', namespace: 'prod' },
    seen: true,
  });
  expect((await node.ok('POST /logs-in-prod/_doc/2', { a: 1 }))._index).toBe('logs-generic-prod');
  await node.ok('PUT /_ingest/pipeline/back', { processors: [{ reroute: { destination: 'logs-in-loop' } }] });
  await node.ok('PUT /_ingest/pipeline/forth', { processors: [{ reroute: { destination: 'looping' } }] });
  await node.ok('PUT /looping', { settings: { default_pipeline: 'back' } });
  await node.ok('PUT /logs-in-loop', { settings: { default_pipeline: 'forth' } });
  const { status, json } = await node.send('PUT /looping/_doc/1', { a: 1 });
  expect([status, json.error.reason]).toEqual([
    500,
    'index cycle detected while processing pipelines for document [1]: [looping, logs-in-loop, looping]',
  ]);
  expect(await refusal({ reroute: { destination: 'a', dataset: 'b' } })).toContain('can only be set if dataset and namespace are not set');
  expect(await refusal({ reroute: { dataset: 'A-b' } })).toContain("'A-b' contains disallowed characters");
});

test('processors of Elasticsearch that are missing are refused by name', async () => {
  expect(await refusal({ inference: { model_id: 'm' } })).toBe('processor [inference] is not supported');
});
