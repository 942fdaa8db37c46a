// The registered_domain processor: the parts of a host name, by the public suffix list.
import { illegalArgumentError } from '../../errors/catalog.ts';
import { fieldText } from './parse.ts';
import type { ProcessorFactory } from './processor.ts';
import { type HostParts, parseHost } from './public-suffixes.ts';

/** Longer host names do not exist. */
const MAX_CHARS = 253;
const NO_PARTS: HostParts = { domain: null, publicSuffix: null, subdomain: null, hostname: null };

export const registeredDomainProcessor: ProcessorFactory = (config) => {
  const field = config.text('field');
  const target = config.text('target_field', '');
  const ignoreMissing = config.boolean('ignore_missing', true);
  const prefix = target === '' ? '' : `${target}.`;
  return (document) => {
    const host = fieldText(document, field, ignoreMissing, 'parse domain information');
    if (host === null) return;
    const { domain, publicSuffix, subdomain, hostname } = host.length > MAX_CHARS ? NO_PARTS : parseHost(host);
    if (domain === null || publicSuffix === null || hostname === null) {
      if (ignoreMissing) return;
      throw illegalArgumentError('unable to set domain information for document');
    }
    document.set(`${prefix}domain`, hostname);
    document.set(`${prefix}registered_domain`, domain);
    document.set(`${prefix}top_level_domain`, publicSuffix);
    if (subdomain) document.set(`${prefix}subdomain`, subdomain);
  };
};
