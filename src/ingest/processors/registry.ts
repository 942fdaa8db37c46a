// All processors by type. To add one, write its factory in a file of this folder and list it at the end of that file.
import { circleProcessor } from './circle.ts';
import { CONTROL_PROCESSORS } from './control.ts';
import { CONVERT_PROCESSORS } from './convert.ts';
import { DATE_PROCESSORS } from './date.ts';
import { dissectProcessor } from './dissect.ts';
import { enrichProcessor } from './enrich.ts';
import { FIELD_PROCESSORS } from './fields.ts';
import { geoGridProcessor } from './geo-grid.ts';
import { geoipProcessor } from './geoip.ts';
import { grokProcessor } from './grok.ts';
import { MASK_PROCESSORS } from './mask.ts';
import { NETWORK_PROCESSORS } from './network.ts';
import { PARSE_PROCESSORS } from './parse.ts';
import type { ProcessorFactory } from './processor.ts';
import { registeredDomainProcessor } from './registered-domain.ts';
import { rerouteProcessor } from './reroute.ts';
import { TEXT_PROCESSORS } from './text.ts';
import { userAgentProcessor } from './user-agent.ts';

export const PROCESSORS: ReadonlyMap<string, ProcessorFactory> = new Map(
  Object.entries({
    ...FIELD_PROCESSORS,
    ...TEXT_PROCESSORS,
    ...CONVERT_PROCESSORS,
    ...PARSE_PROCESSORS,
    ...DATE_PROCESSORS,
    ...CONTROL_PROCESSORS,
    ...MASK_PROCESSORS,
    ...NETWORK_PROCESSORS,
    circle: circleProcessor,
    dissect: dissectProcessor,
    enrich: enrichProcessor,
    geo_grid: geoGridProcessor,
    geoip: geoipProcessor,
    grok: grokProcessor,
    reroute: rerouteProcessor,
    registered_domain: registeredDomainProcessor,
    user_agent: userAgentProcessor,
  }),
);

/** Processors of Elasticsearch that are refused as unsupported instead of unknown. */
export const MISSING_PROCESSORS: readonly string[] = ['attachment', 'inference', 'set_security_user', 'terminate'];
