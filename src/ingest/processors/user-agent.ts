// The user_agent processor: name, version, system and device from a User-Agent header.

import { BoundedMap } from '../../common/bounded-map.ts';
import type { ConfigFolders } from '../../common/config-folder.ts';
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import type { ProcessorConfig } from '../processor-config.ts';
import { fieldText } from './parse.ts';
import type { ProcessorFactory } from './processor.ts';
import { type Recognised, type RecognisedAgent, standardUserAgentRules, UserAgentRules } from './user-agent-rules.ts';

const PROPERTIES = ['NAME', 'OS', 'DEVICE', 'ORIGINAL', 'VERSION'];
const STANDARD_FILE = '_standard_';

/** By name and stamp of the file. */
const customRules = new BoundedMap<string, UserAgentRules>(8);

/** @throws ApiError parse_exception: the file does not exist */
function rulesOf(config: ProcessorConfig, folders: ConfigFolders): () => UserAgentRules {
  const file = config.text('regex_file', STANDARD_FILE);
  if (file === STANDARD_FILE) return standardUserAgentRules;
  const folder = folders('ingest-user-agent');
  const stamp = folder.stamp(file);
  if (stamp === null) throw config.error('regex_file', `regex file [${file}] doesn't exist (has to exist at node startup)`);
  const key = `${file}\n${stamp}`;
  return () => customRules.getOrMake(key, () => new UserAgentRules(Buffer.from(folder.read(file) ?? []).toString(), file));
}

function propertiesOf(config: ProcessorConfig): ReadonlySet<string> {
  const names = config.optionalList('properties')?.map(String) ?? PROPERTIES;
  for (const name of names) {
    if (!PROPERTIES.includes(name.toUpperCase()))
      throw config.error('properties', `illegal property value [${name}]. valid values are [${PROPERTIES.join(', ')}]`);
  }
  return new Set(names.map((name) => name.toUpperCase()));
}

/** Parts of a version up to the first that is missing; null if there is none. */
function versionText({ version }: Recognised): string | null {
  const end = version.indexOf(null);
  const parts = end < 0 ? version : version.slice(0, end);
  return parts.length === 0 ? null : parts.join('.');
}

function systemOf(system: Recognised): MutableJsonObject {
  const version = versionText(system);
  return version === null ? { name: system.name } : { name: system.name, version, full: `${system.name} ${version}` };
}

/** The kind of device, as far as names show it. */
function deviceType({ program, system, device }: RecognisedAgent, header: string): string {
  const names = [program?.name, device?.name].join(' ');
  if (device?.name === 'Spider' || /bot|crawl|spider|slurp|mediapartners/i.test(names)) return 'Robot';
  const os = system?.name ?? '';
  if (/tablet|ipad|kindle|playbook|touchpad/i.test(`${names} ${header}`)) return 'Tablet';
  // Android names phones "Mobile".
  if (os === 'Android') return /mobile/i.test(header) ? 'Phone' : 'Tablet';
  if (/^(iOS|Windows Phone|BlackBerry OS|Firefox OS|KaiOS|Symbian)/.test(os) || /phone|mobile/i.test(names)) return 'Phone';
  if (/^(Windows|Mac OS|Linux|Ubuntu|Fedora|Debian|Chrome OS|FreeBSD|OpenBSD|Solaris)/.test(os)) return 'Desktop';
  return 'Other';
}

export const userAgentProcessor: ProcessorFactory = (config, _inner, folders) => {
  const field = config.text('field');
  const target = config.text('target_field', 'user_agent');
  const rules = rulesOf(config, folders);
  const properties = propertiesOf(config);
  const extractsType = config.boolean('extract_device_type');
  const ignoreMissing = config.boolean('ignore_missing');
  config.boolean('ecs');
  return (document) => {
    const header = fieldText(document, field, ignoreMissing, 'parse user-agent');
    if (header === null) return;
    const agent = rules().recognise(header);
    const details: MutableJsonObject = {};
    if (properties.has('ORIGINAL')) details.original = header;
    if (properties.has('NAME')) details.name = agent.program?.name ?? 'Other';
    const version = agent.program && versionText(agent.program);
    if (properties.has('VERSION') && version) details.version = version;
    if (properties.has('OS') && agent.system) details.os = systemOf(agent.system);
    if (properties.has('DEVICE')) {
      const device: MutableJsonObject = { name: agent.device?.name ?? 'Other' };
      if (extractsType) device.type = deviceType(agent, header);
      details.device = device;
    }
    document.set(target, details);
  };
};
