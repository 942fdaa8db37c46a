// Stems of words chosen from the rules of each stemmer's published description (named in its file under assembly/analysis/stemmers), so that every
// step of it acts on one of them. The light stemmers of stemmers-light.test.ts have their table there.
import { expect, test } from 'vitest';
import { chainBlob, words } from '../../../src/analysis/blob.ts';
import { SNOWBALL_CLASSES, STEMMER_LANGUAGES, snowballStage, stemmerByLanguage } from '../../../src/analysis/languages/stemmers.ts';
import { runChain } from '../../../src/analysis/tokens/token-stream.ts';
import { AnalysisHost } from '../../../src/wasm/analysis.ts';
import { StageId, Stemmer } from '../../../src/wasm/generated/analysis.ts';
import { analyzerModule } from '../../support/analysis-server.ts';

type Light =
  | 'LIGHT_FINNISH'
  | 'LIGHT_HUNGARIAN'
  | 'LIGHT_SWEDISH'
  | 'LIGHT_NORWEGIAN'
  | 'LIGHT_NYNORSK'
  | 'MINIMAL_NORWEGIAN'
  | 'MINIMAL_NYNORSK'
  | 'MINIMAL_FRENCH'
  | 'MINIMAL_PORTUGUESE'
  | 'PORTUGUESE_RSLP'
  | 'PLURAL_ENGLISH'
  | 'SPANISH_PLURAL'
  | 'KSTEM';

/** Words and their stems, by stemmer. */
const STEMS: Readonly<Record<Exclude<keyof typeof Stemmer, Light>, readonly [string, string]>> = {
  // Romance languages and Basque.
  SPANISH: [
    'chicas chicos torneados dándoselo construyendo rápidamente activamente felicidad biología solución residencia paguemos siguiéndole cheque',
    'chic chic torn dandosel constru rapid activ felic biolog solucion resident pag sigu chequ',
  ],
  ITALIAN: [
    'abbandonata pronunziarlo affidarsi divano logica attivamente velocità migliaia quanti inquadrare pacchi distribuzione sviluppativa più',
    'abbandon pronunz affid divan logic attiv veloc migliai quant inquadr pacc distribu svilupp più',
  ],
  PORTUGUESE: [
    'quilométricas nacionalidade praias ações irmãos rapidamente soluções existência pagueis brinquei começo primeiras tecnologia ativamente',
    'quilométr nacional pra açõ irmã rapid soluçõ existent pagu brinqu comec primeir tecnolog ativ',
  ],
  CATALAN: [
    'benvolguda activitats biologia llengües cantàvem donar-los intel·ligent feliçment',
    'benvolg act biolog llengu cant donar- intel.lig feliç',
  ],
  ROMANIAN: ['copiilor abilități națiune iubeam plăcerile politicii mașinile mergând', 'cop abil națiun iubeam plăcer polit mașin merg'],
  FRENCH: [
    'continuellement royaux inquiéteraient naïveté quelques mangeons bouleversement élève publicité abbaye majestueusement',
    'continuel royal inquiet naïvet quelqu mangeon boulevers élev publiqu abbay majestu',
  ],
  GALICIAN: ['amorosa casiña felizmente cancións rapaces traballadores comeremos', 'amor cas feliz cant rapaz traball com'],
  MINIMAL_GALICIAN: ['cans papeis cancións rapaces flores azuis', 'can papel canción rapaz flor azuil'],
  BRAZILIAN: ['boas quilômetros cantávamos felicidade brasileira irmãs', 'boas quilometr cant felic brasileir irmas'],
  LIGHT_FRENCH: ['chevaux hiboux chantés publicité majestueusement vertes', 'cheval hibou chant publicit majestueus vert'],
  LIGHT_ITALIAN: ['ragazzo ragazze città amici perché', 'ragazz ragazz città amici perc'],
  LIGHT_SPANISH: ['chicas papeles felices lápiz caballo', 'chic papel feliz lapiz caball'],
  LIGHT_PORTUGUESE: ['meninos felizmente papéis irmãos doutores', 'menin feliz papel irma doutor'],
  BASQUE: ['etxeetan mendira txakurrak lagunarekin zuzendari euskararen', 'etxe mendi txakurr lag zuzend eusk'],
  // Germanic languages.
  GERMAN: [
    'häuser kategorischen aufeinander strauß strausse buecher systemen freundlichkeiten bäuerin verhängnisse quelle wichtigsten',
    'haus kategor aufeinand strauss strauss buch system freundlich bauerin verhangnis quell wichtig',
  ],
  LIGHT_GERMAN: ['häuser bücher kindern schönste', 'haus buch kind schon'],
  MINIMAL_GERMAN: ['häusern bücher katzen hunden', 'hauser buch katz hund'],
  CAUMANNS: ['häuser singt sängerinnen gegessen schöner', 'hau sing sangeri gess schon'],
  DUTCH: [
    'lichamelijkheden opheldering maan brood yoghurt beëindigen gemene mogelijkheid',
    'licham ophelder man brod yoghurt beeindig gemen mogelijk',
  ],
  DANISH: ['undersøgelserne mægtigst kærligheden skønnest løst', 'undersøg mægt kær skønnest løst'],
  NORWEGIAN: ['havnedistriktene lærerens opprettet vennlighetene sterkt', 'havnedistrikt lærer opprett venn sterkt'],
  SWEDISH: ['jaktkarlarnas klostergårdens friskt hjälplöst allvarligt', 'jaktkarl klostergård frisk hjälplös allvar'],
  YIDDISH: ['קינדער געשריבן אױסגעגאַנגען ביכעלעך שיינקייט', 'קינד שרײב אױסגײ ביכ שײנ'],
  // English.
  PORTER: [
    'caresses ponies relational conflated hopping electricity adjustable rolling go',
    'caress poni relat conflat hop electr adjust roll go',
  ],
  PORTER_PUBLISHED: ['caresses abilities apologies analogies s accing', 'caress abil apologi analogi  acc'],
  PORTER2: [
    "skies dying gently generate commune happily hoping egged consign knightly proceed youth's",
    'sky die gentl generat commune happili hope egg consign knight proceed youth',
  ],
  MINIMAL_ENGLISH: ['ponies queries dogs glass bus horses shoes', 'pony query dog glass bus horse shoes'],
  ENGLISH_POSSESSIVE: ["dog's DOG'S dogs’s boss it's", 'dog DOG dogs boss it'],
  // Uralic, Baltic and Celtic languages.
  FINNISH: ['taloissamme kauneimmalla koiransa menkää edeltäjistään hiiressä eläkk', 'talo kauneim koira menk edeltäj hiire eläk'],
  HUNGARIAN: ['babonákkal házaimban kutyájának könyvekkel tollal', 'babona ház kutyá könyv tol'],
  ESTONIAN: ['raamatutele tehakse õpetajaga rohelise kokkuvõtte keeb ppe', 'raama tegi õpetaja rohelise kokkuvõte keesi ppe'],
  LATVIAN: ['tirgiem tirgus bērnu latviešu pieminekļa', 'tirg tirg bērn latvieš pieminekl'],
  LITHUANIAN: ['vaikais žmonėms medžiagos knygose', 'vaik žmon medžiag knyg'],
  IRISH: ['bhfear t-athair leabhair siopadóireacht mbád nduine', 'fear athair leabhair siopadóir bád duine'],
  // Slavic languages, Greek, Armenian, Turkish.
  RUSSIAN: ['важнейшую вздыхал падениями одеяла ёлки победоносности', 'важн вздыха паден одея елк победоносн'],
  LIGHT_RUSSIAN: ['книгами городов важных', 'книг город важн'],
  BULGARIAN: ['градовете книгите учителят хубавата', 'град книг учител хубав'],
  CZECH: ['pánové hradem učitelkám mladší českého', 'pán hrad učitelk mladš česk'],
  SERBIAN: [
    'књигама devojkama vojci mleko mlijeko pevačima istorijski centara losijem kuca',
    'knjig devojk vojk mlek mlek pevač istorijsk centr losem kuc',
  ],
  GREEK: ['ανθρωποσ γιαγιαδεσ κρεατα πολιτικοσ αγαπησαμε καλοι παιδια', 'ανθρωπ γιαγι κρε πολιτικ αγαπ καλ παιδ'],
  GREEK_SNOWBALL: [
    'Άνθρωπος γιαγιάδες κρέατος γεμίζουμε καλύτερος οικισμοί κοριτσάκι φράγκισκος ενδοικών',
    'ανθρωπ γιαγ κρε γεμ καλ οικ κοριτσ φραγκισκ ενδικικ',
  ],
  ARMENIAN: ['մարդկանց գրքերը աշխատանք մարդիկ', 'մարդկ գրքերը աշխ մարդ'],
  TURKISH: [
    'evlerinizdekiler doktoruymuşsunuz kitabı kedim adı arkadaşlarımızdan güzelken soyad evdekilerden yapacakmış dört',
    'evlerinizdeki doktor kitap kedi ad arkadaş güzel soyad ev yapacak dört',
  ],
  // Semitic, Iranian, Indic languages, Tamil, Indonesian.
  ARABIC: ['الكتاب والمدرسة كتابها معلمون', 'كتاب مدرس كتاب معلم'],
  ARABIC_SNOWBALL: ['الكتاب كتبتموها سيكتبون المعلمات ﻻعب ١٢٣ والمدرسة فأكلوا', 'كتاب كتب يكتب معلم لاعب 123 والمدرس اكل'],
  PERSIAN: ['کتابها بزرگترين خانهها', 'کتاب بزرگ خانه'],
  SORANI: ['پیاوەکان کتێبەکە ماڵێک', 'پیاو کتێب ماڵێک'],
  HINDI: ['किताबों लड़कियां पढ़ाई जाऊंगा', 'किताब लड़क पढ़ जाऊंग'],
  HINDI_SNOWBALL: ['लड़कियाँ बताना जाऊंगा आएगा ना', 'लड़क बत ज आ न'],
  BENGALI: ['মানুষেরা বইগুলি করিতেছিলাম ছেলেদের', 'মানুষ বই কর ছেল'],
  NEPALI: ['घरहरुको मान्छेलाई गरेकी जानेछन् केको', 'घर मान् गर जा क'],
  TAMIL: ['பூக்கள் வீட்டில் மரங்களை எப்போது படித்தான் அவர்களுக்கு', 'பூக் வீடு மரங் போது படி அவர்கள்'],
  INDONESIAN: ['menjalankannya pembangunan berjalanlah', 'jalan bangun jalan'],
  INDONESIAN_SNOWBALL: ['menyapukan pelajaran membacakan perbaikan ketakutan televisi rumahku', 'sapu ajar baca baik takut televisi rumah'],
};

const host = new AnalysisHost(analyzerModule());

function stem(id: number, word: string): string {
  const stages = [
    { id: StageId.KEYWORD, config: words([]) },
    { id: StageId.STEM, config: words([id]) },
  ];
  return runChain(host, { blob: chainBlob(stages) }, new TextEncoder().encode(word)).tokens[0].term;
}

test.each(Object.entries(STEMS))('%s', (name, [text, expected]) => {
  const stems = text.split(' ').map((word) => stem(Stemmer[name as keyof typeof STEMS], word));
  expect(stems.join(' ')).toBe(expected);
});

test('every stemmer has its own id, and a language or class that selects it', () => {
  const ids = Object.values(Stemmer);
  expect(new Set(ids).size).toBe(ids.length);
  const named = new Set<number>([...Object.values(STEMMER_LANGUAGES), Stemmer.CAUMANNS, ...Object.values(SNOWBALL_CLASSES)]);
  expect(ids.filter((id) => !named.has(id))).toEqual([]);
});

test('an unknown language is tried as a Snowball class', () => {
  expect(stemmerByLanguage('serbian')).toEqual(snowballStage('Serbian'));
  expect(stemmerByLanguage('tamil')).toEqual(snowballStage('tamil'));
  expect(() => stemmerByLanguage('lovins')).toThrow('Invalid stemmer class specified: Lovins');
  expect(() => snowballStage('Kp')).toThrow('Invalid stemmer class specified: Kp');
});
