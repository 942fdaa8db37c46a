// Entry of dist/service/zone-rules.late.js: src/dates/zone-rules.ts with the packages inside, 1 MB instead of the 12 that they install.
'use strict';
const { ZoneId } = require('@js-joda/core');
require('@js-joda/timezone');

exports.rulesOf = (region) => ZoneId.of(region).rules();
