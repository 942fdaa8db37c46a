// The Bengali stemmer: removes the longest ending of a verb or noun if two units remain. Source: P. Sengupta and B. B. Chaudhuri, "Natural Language
// Processing in an Indian Language (Bengali)-I: Verb Phrase Analysis", and J. Savoy's light stemmer (members.unine.ch/jacques.savoy/clef), as
// selected by Lucene. U+09DF is the composed letter য়.
import { foundAt, groupOf } from '../suffix-table';
import { setLength } from '../word';

/** By aspect, tense and mood, each with its persons; then plural, article and case of nouns. */
const ENDINGS = `ি\u09dfাছিলাম ি\u09dfাছিলেন ই\u09dfাছিলেন ি\u09dfাছিলা ি\u09dfাছিলে ি\u09dfাছিলি
িতেছিলাম িতেছিলেন ইতেছিলেন িতেছিলি িতেছিলে িতেছিলা
ি\u09dfাছি ি\u09dfাছিস ি\u09dfাছা ি\u09dfাছে ি\u09dfাছেন
িতেছি িতেছিস িতেছা িতেছে িতেছেন িতেছ তেছে
েছিলাম েছিলেন েছিলে েছিলা ছিলাম ছিলেন ছিলি ছিলে ছিলা
ছি ছা ছে ছেন
িলাম িলেন িলি ইলি িলে ইলে িলা ইলা লাম লেন লি লে লা
িতাম িতেন িতি ইতি িতে ইতে িতা তাম তেন তি তে তা
িবেন িবা ইবা িবি ইবি িবে ইবে বেন বি বে বা
িস ুন ুক েন \u09dfোন
গুলো গুলি \u09dfেরা েরা রা
খানা খানি টা টি
\u09dfেদেরকে েদেরকে দেরকে \u09dfেদের েদের দের \u09dfের ের কে নি
ি ী া ো ে ব ত`;

export function bengali(): void {
  if (groupOf(ENDINGS, 2) >= 0) setLength(foundAt);
}
