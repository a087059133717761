// people import: the people of another service, from the file that `import` wrote.
import { createReadStream, existsSync } from 'node:fs';
import path from 'node:path';
import { OPERATOR } from '#lib/management/core/policy.ts';
import { importPeople } from '#lib/management/moving-in/import-people.ts';
import { importTokens } from '#lib/management/moving-in/import-tokens.ts';
import { undoImport } from '#lib/management/moving-in/undo-import.ts';
import type { SourceFile } from '#lib/moving-in/reading/source-file.ts';
import { option, print, toggle, verb } from '../command.ts';
import { WrongUsage } from '../typed.ts';

export const importPeopleCommand = verb(
  'people import DIR…',
  'bring the people of DIR/people.jsonl along, with their ids, subjects and passwords; no mail goes out',
  async ({ args: [folder, more], text, flag }) => {
    const undone = text('undo');
    if (undone !== undefined) {
      if (folder !== undefined) throw new WrongUsage('--undo names the run, and takes no DIR');
      return undo(undone);
    }
    if (folder === undefined || more !== undefined)
      throw new WrongUsage('name one DIR, which has people.jsonl');
    return carryOut(path.join(folder, 'people.jsonl'), flag('dry-run'));
  },
  {
    options: {
      'dry-run': toggle('say what would become of each line, and write nothing'),
      undo: option('RUN', 'remove the people of this run who have not come since'),
    },
    notes:
      'A person who is here with the same line is left alone, so an import that was stopped is begun again. Exit status 1: a line was not carried out; each is named.',
  },
);

/** `where`: before the number of a line. */
const printFaults = (where: string) => (faults: readonly { line: number; because: string }[]) => {
  for (const { line, because } of faults) print(`${where}line ${line}: ${because}`);
};

async function carryOut(name: string, dryRun: boolean): Promise<number> {
  const file: SourceFile = { name, chunks: () => createReadStream(name) };
  const begun = ({ run, lines, seconds }: { run: string; lines: number; seconds: number }) => {
    const wait = seconds > 0 ? `; hashing takes about ${seconds} s` : '';
    print(`run ${run}: ${lines} lines${dryRun ? ', of which none is written' : wait}`);
  };
  const progress = printFaults('');
  const totals = await importPeople(OPERATOR, { file, dryRun, begun, progress });
  const { imported, unchanged, refused, unkept } = totals;
  const did = dryRun ? 'would be imported' : 'imported';
  print(`${imported} ${did}, ${unchanged} unchanged, ${refused} not carried out`);
  if (unkept > 0)
    print(
      `claims, given_name and family_name of ${unkept} were left out: they have no identity that keeps them`,
    );
  const tokens = path.join(path.dirname(name), 'tokens.jsonl');
  const more = existsSync(tokens) ? await carryOutTokens(tokens, dryRun) : 0;
  return refused + more > 0 ? 1 : 0;
}

/** How many lines were not carried out. */
async function carryOutTokens(name: string, dryRun: boolean): Promise<number> {
  const file: SourceFile = { name, chunks: () => createReadStream(name) };
  const progress = printFaults('tokens.jsonl, ');
  const { imported, unchanged, refused } = await importTokens(OPERATOR, { file, dryRun, progress });
  const did = dryRun ? 'would be imported' : 'imported';
  print(`refresh tokens: ${imported} ${did}, ${unchanged} unchanged, ${refused} not carried out`);
  return refused;
}

async function undo(run: string): Promise<number> {
  const { removed, stayed } = await undoImport(OPERATOR, { run });
  print(`${removed} removed, ${stayed} stay, since they have come or own clients`);
  return 0;
}
