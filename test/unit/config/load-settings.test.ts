import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadSettings, SettingError } from '../../../src/config/load-settings.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'gannet-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(content: string): string {
  const name = path.join(folder, 'gannet.yml');
  writeFileSync(name, content);
  return name;
}

test('flags win over environment, environment over file, file over defaults', () => {
  const yml = file('http:\n  port: 1\n  host: 0.0.0.0\ncluster.name: from-file\n"http.cors":\n  allow-origin: ["*"]\n');
  const settings = loadSettings({
    file: yml,
    environment: { GANNET_HTTP_PORT: '2', 'http.max_content_length': '1mb' },
    flags: { 'http.port': '3' },
  });
  expect(settings['http.port']).toBe(3);
  expect(settings['http.host']).toBe('0.0.0.0');
  expect(settings['http.max_content_length']).toBe(2 ** 20);
  expect(settings['cluster.name']).toBe('from-file');
  expect(settings['http.cors.allow-origin']).toEqual(['*']);
  expect(path.isAbsolute(settings['path.data'])).toBe(true);
});

test('settings of OpenTelemetry are read from its own variables, too', () => {
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x,tenant=a',
    OTEL_BSP_SCHEDULE_DELAY: '250',
    OTEL_SERVICE_NAME: 'general',
    GANNET_OTEL_SERVICE_NAME: 'own',
    HTTP_PORT: '1',
  };
  const settings = loadSettings({ environment, file: null });
  expect(settings['otel.exporter.otlp.endpoint']).toBe('http://127.0.0.1:4318/');
  expect(settings['otel.exporter.otlp.headers']).toEqual(['authorization=Bearer%20x', 'tenant=a']);
  expect(settings['otel.bsp.schedule.delay']).toBe(250);
  expect(settings['otel.service.name']).toBe('own');
  expect(settings['http.port']).toBe(9200);
});

test.each([
  ['otel.exporter.otlp.endpoint: collector', /endpoint: must be an http or https URL/],
  ['otel.exporter.otlp.endpoint: "http://a:b@127.0.0.1"', /endpoint: must be an http or https URL without user/],
  ['otel.exporter.otlp.headers: "a=%zz"', /headers: must be a list of name=value/],
  ['otel.traces.sampler.arg: 2', /sampler\.arg: must be a number from 0 to 1, not \[2\]/],
  ['otel.bsp.schedule.delay: 0', /schedule\.delay: must be at least 1ms/],
  ['http.prot: 1', /gannet\.yml: http\.prot: unknown setting, did you mean \[http\.port\]\?/],
  ['http.port: 99999', /gannet\.yml: http\.port: must be a whole number from 0 to 65535, not \[99999\]/],
  ['http.cors.enabled: maybe', /http\.cors\.enabled: must be true or false/],
  ['http.cors.allow-origin: "/[/"', /gannet\.yml: http\.cors\.allow-origin: \[\/\[\/\] is not a regular expression/],
  ['memory.limit: 12', /memory\.limit: must be a size with a unit/],
  ['http:\n  port: 1\n  port: 2\n', /gannet\.yml: line 3: Map keys must be unique/],
  ['- a', /must contain a map of settings/],
])('%s stops the start', (content, message) => {
  expect(() => loadSettings({ file: file(content) })).toThrow(message);
});

test('errors name an invalid flag and a missing file', () => {
  expect(() => loadSettings({ flags: { threads: 'many' } })).toThrow(/^flag: threads: must be a whole number/);
  expect(() => loadSettings({ file: path.join(folder, 'none.yml') })).toThrow(SettingError);
});

test('users remain a map', () => {
  const yml = file('security:\n  users:\n    ann: { password_hash: x, roles: [admin] }\n');
  expect(loadSettings({ file: yml })['security.users']).toEqual({ ann: { password_hash: 'x', roles: ['admin'] } });
});

test('flags of Hunspell dictionaries may be dotted or nested; later ones override earlier ones', () => {
  const name = 'indices.analysis.hunspell.dictionary';
  const yml = file(
    `${name}.lazy: true\nindices:\n  analysis:\n    hunspell:\n      dictionary:\n        en_US: { ignore_case: true, strict_affix_parsing: false }\n`,
  );
  expect(loadSettings({ file: yml, flags: { [`${name}.en_US.ignore_case`]: 'false', [`${name}.ignore_case`]: 'true' } })[name]).toEqual({
    lazy: true,
    ignore_case: true,
    'en_US.ignore_case': false,
    'en_US.strict_affix_parsing': false,
  });
  expect(() => loadSettings({ file: null, flags: { [`${name}.en_US.case`]: 'true' } })).toThrow('has no [en_US.case]');
  expect(() => loadSettings({ file: null, flags: { [`${name}.ignore_case`]: 'no' } })).toThrow('must be true or false');
});
