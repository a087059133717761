// `npm run words`: the share of function words in comments, test titles and the subjects of unpushed commits, with
// the worst lines. `testing/code/budgets.test.ts` limits the shares of comments and titles.
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { type Passage, shareOfFunctionWords, summaryOf } from '#testing/code/function-words.ts';
import { judgedPassages, WORDY } from '#testing/code/measures.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { worst: { type: 'string', default: '0' }, help: { type: 'boolean', default: false } },
});
if (values.help) {
  console.log(`Usage: npm run words -- [--worst N] [FILE or FOLDER …]

Prints the median share of function words in comments and test titles, and the worst N of each.
Exits 1 if the subject of an unpushed commit has a share of ${WORDY.title} or more.`);
  process.exit(0);
}

const worst = Number(values.worst);
if (!Number.isInteger(worst) || worst < 0) {
  console.error(`--worst must be a whole number, not ${values.worst}`);
  process.exit(2);
}

const passages = judgedPassages().filter(
  ({ file }) => positionals.length === 0 || positionals.some((place) => isIn(file, place)),
);
for (const kind of ['comment', 'title'] as const) {
  const ofKind = passages.filter((passage) => passage.kind === kind);
  const { median, above } = summaryOf(ofKind, WORDY[kind]);
  console.log(
    `${kind}s: ${ofKind.length}, median ${median.toFixed(2)}, ${above.toFixed(1)} % at or above ${WORDY[kind]}`,
  );
  for (const passage of worstOf(ofKind)) console.log(lineOf(passage));
}

const subjects = unpushedSubjects().filter((subject) => shareOfFunctionWords(subject).share >= WORDY.title);
for (const subject of subjects) console.error(`commit subject with too many function words: ${subject}`);
process.exit(subjects.length === 0 ? 0 : 1);

function isIn(file: string, place: string): boolean {
  const folder = place.replace(/^\.\//, '').replace(/\/$/, '');
  return file === folder || file.startsWith(`${folder}/`);
}

function worstOf(all: readonly Passage[]): Passage[] {
  return all.toSorted((a, b) => b.share - a.share).slice(0, worst);
}

function lineOf({ file, line, share, text }: Passage): string {
  return `  ${share.toFixed(2)} ${file}:${line} ${text.slice(0, 160)}`;
}

/**
 * Returns the subjects of commits that the upstream branch lacks. Empty without an upstream branch or a repository.
 */
function unpushedSubjects(): string[] {
  try {
    const git = ['log', '--format=%s', '@{upstream}..HEAD'];
    const printed = execFileSync('git', git, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return printed.split('\n').filter((subject) => subject !== '');
  } catch {
    return [];
  }
}
