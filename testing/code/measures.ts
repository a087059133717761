// Measures of the code: the share of imports, the size of files, and the share of function words in comments
// and titles.
import { type Passage, passagesIn, summaryOf } from './function-words.ts';
import { INSIDE } from './rooms.ts';
import { importsOf, importTarget, isTest, PROGRAMS, type Source, sourcesIn } from './sources.ts';

/** Packages whose code only the command line loads. */
const PACKAGES = Object.keys(INSIDE);
const MOST_LINES = 800;
/** A passage with this share of function words or more is hard to read. */
export const WORDY = { comment: 0.65, title: 0.6 } as const;
/** Folders whose comments and titles are judged. */
const PROSE = ['lib', 'app', 'cli', 'scripts', 'testing', 'e2e', 'packages'];

const lineCount = (text: string) => text.split('\n').length - 1;
const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
const percent = (part: number, whole: number) => (whole === 0 ? 0 : (100 * part) / whole);

/** Returns the names imported from other files of the repository. */
const localNames = ({ file, module }: Source) =>
  sum(
    module.staticImports
      .filter(({ moduleRequest }) => importTarget(file, moduleRequest.value) !== null)
      .map(({ entries }) => entries.length),
  );

/** True for a route file of one protocol address: Next requires the file, which only names its handlers. */
const isProtocolRoute = ({ file, text }: Source) =>
  /^app\/.*\/route\.ts$/.test(file) && text.includes(' = protocolRoute(');

/** Returns the lines of import statements and re-exports. */
const importLines = ({ text, module }: Source) =>
  sum(
    [
      ...module.staticImports,
      ...module.staticExports.filter(({ entries }) =>
        entries.some(({ moduleRequest }) => moduleRequest !== null),
      ),
    ].map(({ start, end }) => lineCount(text.slice(start, end)) + 1),
  );

/** Returns the number of files that import each file. */
function importers(sources: readonly Source[]): number[] {
  const found = new Map<string, Set<string>>();
  for (const source of sources)
    for (const specifier of importsOf(source)) {
      const target = importTarget(source.file, specifier);
      if (target !== null) found.set(target, new Set([...(found.get(target) ?? []), source.file]));
    }
  return [...found].filter(([file]) => /^(?:lib|app|cli|packages)\//.test(file)).map(([, from]) => from.size);
}

/** Matches participles that name neither an action nor a thing: `told`, `asked`, `measured`. */
const PARTICIPLE =
  '(?:told|asked|shown|found|given|kept|said|granted|made|seen|sent|left|held|taken|known|meant|done|gone|written|spoken|chosen|broken|drawn|lost|(?!need|feed|speed|seed|embed|exceed|proceed)[a-z]+ed)';
const participleFunctions = new RegExp(
  `\\bfunction\\*? ${PARTICIPLE}[<(]|\\bconst ${PARTICIPLE}(?:: [^=\\n]+)? = (?:async )?(?:<\\w|(?:\\([^()]*\\)(?:: [^=\\n]+)?|\\w+) =>)`,
  'g',
);
const vagueLocals =
  /\b(?:const|let) (?:told|asked|found|given|said|kept|shown|made|one|own|known)\b|\((?:asked|given|told|one|own)(?:: [\w<>[\]| ]+)?\) =>/g;
const matches = (sources: readonly Source[], pattern: RegExp) =>
  sum(sources.map(({ text }) => text.match(pattern)?.length ?? 0));

const isTranslation = ({ file }: Source) => file.startsWith('lib/language/messages/');
const isOf = (kind: Passage['kind']) => (passage: Passage) => passage.kind === kind;

/** Every comment and test title of the repository that is long enough to be judged. */
export const judgedPassages = (): Passage[] =>
  sourcesIn(...PROSE)
    .filter((source) => !isTranslation(source))
    .flatMap(passagesIn);

export function measure() {
  const served = sourcesIn('lib', 'app', 'cli', ...PROGRAMS, ...PACKAGES).filter(
    (one) => !isTest(one.file) && !isTranslation(one),
  );
  const namesPer1000 = (...places: string[]) => {
    const files = served.filter(
      (one) => places.some((place) => one.file.startsWith(`${place}/`)) && !isProtocolRoute(one),
    );
    return (1_000 * sum(files.map(localNames))) / sum(files.map(({ text }) => lineCount(text)));
  };
  const counts = importers(served);
  const lines = sum(served.map(({ text }) => lineCount(text)));
  const passages = judgedPassages();
  const comments = summaryOf(passages.filter(isOf('comment')), WORDY.comment);
  const titles = summaryOf(passages.filter(isOf('title')), WORDY.title);
  return {
    'local names imported per 1,000 lines of lib and its packages': namesPer1000('lib', ...PACKAGES),
    'local names imported per 1,000 lines of app': namesPer1000('app'),
    'percent of lines that are imports or re-exports': percent(sum(served.map(importLines)), lines),
    'percent of imported files with one importer': percent(
      counts.filter((one) => one === 1).length,
      counts.length,
    ),
    'files above 800 lines': served.filter(({ text }) => lineCount(text) > MOST_LINES).length,
    'functions named by a participle': matches(served, participleFunctions),
    'vague locals per 10,000 lines': (10_000 * matches(served, vagueLocals)) / lines,
    'percent of comments with 65 % function words or more': comments.above,
    'percent of function words in the median comment': 100 * comments.median,
    'percent of test titles with 60 % function words or more': titles.above,
    'percent of function words in the median test title': 100 * titles.median,
  };
}
