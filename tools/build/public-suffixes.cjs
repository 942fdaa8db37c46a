// Entry of dist/service/public-suffixes.late.js: src/ingest/processors/public-suffixes.ts with the package inside.
'use strict';
const { parse } = require('tldts');

exports.parseHost = (host) => parse(host, { allowPrivateDomains: true, extractHostname: false, detectIp: true });
