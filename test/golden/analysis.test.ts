import { checkSuite } from './runner/check-suite.ts';

checkSuite('analysis');
